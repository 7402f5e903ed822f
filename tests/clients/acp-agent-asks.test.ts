import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import { simulatorCommand } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AcpClient, choosing } from "./acp-client.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

/** Cursor's own agent asks, over the acp lane; an editor and the page have the session open. */
let home: GatewayHome;
let gateway: GatewayProcess;
let page: NativeClient;
let client: AcpClient;

beforeAll(async () => {
  home = new GatewayHome({
    turns: [
      { when: "accepted the plan", steps: [{ tool: { name: "write", args: { path: "planned.txt", contents: "P" } } }] },
      { when: "^Touch", steps: [{ tool: { name: "shell", args: { command: "touch made.txt" } } }, { text: "Done." }] },
      {
        when: "^Ask",
        steps: [{ question: { prompt: "Which colour?", options: ["Red", "Blue"] } }, { text: "Thanks." }],
      },
      {
        when: "^Plan",
        steps: [{ tool: { name: "createPlan", args: { name: "A plan", plan: "1. Write planned.txt" } } }],
      },
      { when: "^Look", steps: [{ text: "A picture." }] },
    ],
  });
  const { file, args } = simulatorCommand();
  const agent = join(home.directory, "agent");
  writeFileSync(agent, `#!/bin/sh\nexec '${file}' '${args.join("' '")}' "$@"\n`, { mode: 0o755 });
  gateway = await startGateway(home, {
    args: ["--port", "0", "--workspace", home.workspace, "--lane", "acp"],
    env: { CARET_CLI_COMMAND: agent },
  });
  page = createNativeClient({ baseUrl: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
  client = await AcpClient.start(home, { args: ["--lane", "acp"] });
});
afterEach(() => client.forgetAsked());
afterAll(async () => {
  await client.stop();
  await gateway.stop();
  home.remove();
});

const isThere = (name: string): boolean => existsSync(join(home.workspace, name));

async function openSession(decide?: AcpClient["decide"]): Promise<string> {
  client.decide = decide;
  return (await client.newSession(home.workspace)).sessionId;
}

async function eventsOf(id: string) {
  const { events } = await page.readLog(id, { after: 0, limit: 500 });
  return events.map(({ event }) => event);
}

describe("what the agent asks about its own tools", () => {
  it("is withdrawn from the editor when the page approves it, and the editor sees the rest of the turn", async () => {
    const id = await openSession();
    const prompt = client.prompt(id, "Touch");
    await client.untilAsked();
    const [request] = (await eventsOf(id)).flatMap((event) => (event.type === "approval-request" ? [event] : []));
    await page.answerApproval(id, request?.requestId ?? "", { decision: "approved" });
    expect(await prompt).toMatchObject({ stopReason: "end_turn" });
    expect([client.withdrawn, client.calls(id), client.said(id, "agent_message_chunk"), isThere("made.txt")]).toEqual([
      ["`touch made.txt`"],
      { "`touch made.txt`": ["in_progress", "pending", "in_progress", "completed"] },
      "Done.",
      true,
    ]);
    const owners = (await eventsOf(id)).flatMap((event) => (event.type === "tool-call" ? [event.owner] : []));
    expect(owners).toEqual(["agent"]);
  });

  it("of a turn that the page began is decided in the editor, and the page sees who did", async () => {
    const id = await openSession(choosing("reject_once"));
    const { turnId } = await page.startTurn(id, { prompt: "Touch" });
    await expect.poll(async () => (await page.getSession(id)).status).toMatchObject({ kind: "ended", turnId });
    const decisions = (await eventsOf(id)).flatMap((event) =>
      event.type === "approval-answer" ? [[event.decision, event.by]] : [],
    );
    expect(decisions).toEqual([["rejected", "person"]]);
    // The editor follows the session by itself: it may hear of the end after the page.
    await expect.poll(() => client.said(id, "agent_message_chunk")).toBe("Done.");
    expect(client.said(id, "user_message_chunk")).toBe("Touch");
  });
});

it("has the agent's question answered in the editor", async () => {
  const id = await openSession(choosing("allow_once"));
  await client.prompt(id, "Ask");
  const heard = (await eventsOf(id)).flatMap((event) => (event.type === "tool-result" ? [event.output] : []));
  expect([client.asked[0]?.options.map(({ name }) => name), heard]).toEqual([
    ["Red", "Blue", "Skip"],
    [expect.stringContaining("Red")],
  ]);
});

it("has the agent's plan accepted in the editor, and carried out in the same turn", async () => {
  const id = await openSession(choosing("allow_once"));
  expect(await client.prompt(id, "Plan")).toMatchObject({ stopReason: "end_turn" });
  expect([client.said(id, "agent_message_chunk"), isThere("planned.txt")]).toEqual([
    expect.stringContaining("1. Write planned.txt"),
    true,
  ]);
});

/** One transparent pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

it.each(["supervised", "auto-edits", "full"])("gives the agent a picture as it is, with %s", async (permission) => {
  const id = await openSession();
  await client.agent.request("session/set_config_option", { sessionId: id, configId: "permission", value: permission });
  const image: ContentBlock = { type: "image", data: PNG, mimeType: "image/png" };
  const prompt: ContentBlock[] = [{ type: "text", text: "Look" }, image];
  const { stopReason } = await client.agent.request("session/prompt", { sessionId: id, prompt });
  const given = home.acpRequests("session/prompt").at(-1) as { readonly prompt: readonly unknown[] };
  expect([stopReason, client.said(id, "agent_message_chunk"), given.prompt.at(-1)]).toEqual([
    "end_turn",
    "A picture.",
    image,
  ]);
});
