import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { type AgentEventOf, approvalView, markHidden } from "@caret/protocol";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AcpClient } from "../clients/acp-client.ts";
import { GatewayHome } from "../clients/gateway-home.ts";
import { EACH_PIECE, hostileCommands } from "./hostile-commands.ts";

const calls = hostileCommands(barSize({ quick: EACH_PIECE, full: 500 })).map(({ command }) => ({ command }));
const offered = (args: object) => ({ server: "caret", name: "exec", args: { ...args } });

let home: GatewayHome;
let client: AcpClient;
beforeAll(async () => {
  home = new GatewayHome({
    turns: [{ when: "all at once", steps: [{ tools: calls.map(offered) }, { text: "Done." }] }],
  });
  client = await AcpClient.start(home);
});
afterAll(async () => {
  await client.stop();
  home.remove();
});

it("an editor is sent each hostile command whole, in a fence that it cannot leave, under a title that is no other", async () => {
  const { sessionId } = await client.newSession(home.workspace);
  const prompt = client.prompt(sessionId, "all at once");
  await expect.poll(() => client.asked.length, { timeout: 60_000 }).toBe(calls.length);
  const shown = new Map(client.asked.map((asked) => [commandOf(asked), asked]));
  expect(shown.size).toBe(calls.length);
  for (const input of calls) {
    const asked = shown.get(input.command);
    const request: AgentEventOf<"approval-request"> = {
      type: "approval-request",
      requestId: "r",
      subject: "exec",
      input,
    };
    const part = approvalView(request).parts.find(({ kind }) => kind === "command");
    expect(fencesOf(textOf(asked))).toContainEqual(part?.text.split("\n"));
    const title = asked?.toolCall.title ?? "";
    const isWhole = title === `\`${part?.text}\``;
    expect([isWhole || title.startsWith("Run a command"), title === markHidden(title), title.includes("\n")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(title.length).toBeLessThan(100);
  }
  await client.cancel(sessionId);
  expect(await prompt).toMatchObject({ stopReason: "cancelled" });
});

function commandOf({ toolCall }: RequestPermissionRequest): string {
  return (toolCall.rawInput as { readonly command: string }).command;
}

function textOf(asked: RequestPermissionRequest | undefined): string {
  return (asked?.toolCall.content ?? [])
    .map((each) => (each.type === "content" && each.content.type === "text" ? each.content.text : ""))
    .join("\n");
}

/** The lines of each fenced block, as CommonMark has it: a fence ends with a line of as many backticks, and nothing else. */
function fencesOf(markdown: string): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let open: { readonly fence: string; readonly lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    const run = /^ {0,3}(`{3,})\s*$/.exec(line)?.[1];
    if (open === undefined && run !== undefined) open = { fence: run, lines: [] };
    else if (open !== undefined && run !== undefined && run.length >= open.fence.length) {
      blocks.push(open.lines);
      open = undefined;
    } else open?.lines.push(line);
  }
  return blocks;
}
