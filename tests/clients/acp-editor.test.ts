import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNativeClient } from "@caret/protocol";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { AcpClient, choosing } from "./acp-client.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { TestEditor } from "./test-editor.ts";

const tool = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });

/** The SDK's own client, with buffers and terminals, at a gateway. */
let home: GatewayHome;
let gateway: GatewayProcess;
let client: AcpClient;
const editor = new TestEditor();

beforeAll(async () => {
  home = new GatewayHome({
    turns: [
      { when: "^Read", steps: [tool("read", { path: "a.txt" }), tool("read", { path: "b.txt" }), { text: "Read." }] },
      {
        when: "^Edit",
        steps: [tool("edit", { path: "a.txt", old_string: "unsaved", new_string: "edited" }), { text: "Edited." }],
      },
      { when: "^Make", steps: [tool("write", { path: "new.txt", content: "made\n" }), { text: "Made." }] },
      { when: "^Run", steps: [tool("exec", { command: "echo here; exit 3" }), { text: "Ran." }] },
      { when: "^Sleep", steps: [tool("exec", { command: "echo begun; exec sleep 600" }), { text: "Slept." }] },
    ],
  });
  writeFileSync(join(home.workspace, "a.txt"), "saved\n");
  writeFileSync(join(home.workspace, "b.txt"), "on disk\n");
  editor.buffers.set(join(home.workspace, "a.txt"), "unsaved\n");
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
  client = await AcpClient.start(home, { capabilities: TestEditor.capabilities, editor });
});
afterEach(() => client.forgetAsked());
afterAll(async () => {
  await client.stop();
  await gateway.stop();
  home.remove();
});

async function openSession(): Promise<string> {
  client.decide = choosing("allow_once");
  return (await client.newSession(home.workspace)).sessionId;
}

/** What the client was shown of each call at last: its status and its content. */
function results(id: string): readonly unknown[] {
  return client
    .sent(id, "tool_call_update")
    .flatMap(({ status, content }) => (status === "completed" || status === "failed" ? [[status, content]] : []));
}

const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });

it("has its unsaved text read, and of files that it has not open what is on the disk", async () => {
  const id = await openSession();
  await client.prompt(id, "Read");
  expect(results(id)).toEqual([
    ["completed", [text("unsaved")]],
    ["completed", [text("on disk")]],
  ]);
});

it("is shown a change of its unsaved text, and makes it itself", async () => {
  const id = await openSession();
  const path = join(home.workspace, "a.txt");
  await client.agent.request("session/set_config_option", {
    sessionId: id,
    configId: "permission",
    value: "supervised",
  });
  await client.prompt(id, "Edit");
  expect(client.asked.map(({ toolCall }) => toolCall.content?.filter(({ type }) => type === "diff"))).toEqual([
    [{ type: "diff", path, oldText: "unsaved\n", newText: "edited\n" }],
  ]);
  expect([editor.buffers.get(path), readFileSync(path, "utf8")]).toEqual(["edited\n", "saved\n"]);
});

it("is asked for a file that is not there once, however often the gateway looks", async () => {
  const id = await openSession();
  const path = join(home.workspace, "new.txt");
  await client.agent.request("session/set_config_option", {
    sessionId: id,
    configId: "permission",
    value: "supervised",
  });
  await client.prompt(id, "Make");
  expect([editor.read.filter((asked) => asked === path), editor.buffers.get(path)]).toEqual([[path], "made\n"]);
});

it("runs a command in a terminal, which is shown in its call and released", async () => {
  const id = await openSession();
  await client.prompt(id, "Run");
  const terminalId = editor.released.at(-1);
  expect([editor.commands.at(-1), results(id)]).toEqual([
    "echo here; exit 3",
    [["failed", [{ type: "terminal", terminalId }]]],
  ]);
  const page = createNativeClient({ baseUrl: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
  const { events } = await page.readLog(id, { after: 0, limit: 500 });
  expect(events.flatMap(({ event }) => (event.type === "tool-result" ? [[event.output, event.exitCode]] : []))).toEqual(
    [["here\n[exit code 3]", 3]],
  );
});

it("ends the command of a terminal when its turn is cancelled", async () => {
  const id = await openSession();
  const prompt = client.prompt(id, "Sleep");
  const released = editor.released.length;
  await expect.poll(() => editor.commands.at(-1)).toBe("echo begun; exec sleep 600");
  await client.cancel(id);
  expect(await prompt).toMatchObject({ stopReason: "cancelled" });
  await expect.poll(() => editor.released.length).toBe(released + 1);
});

it("is not used by another session that a client without files and terminals has open", async () => {
  const plain = await AcpClient.start(home, { decide: choosing("allow_once") });
  const { sessionId } = await plain.newSession(home.workspace);
  const commands = editor.commands.length;
  await plain.prompt(sessionId, "Read");
  await plain.prompt(sessionId, "Run");
  expect([
    plain
      .sent(sessionId, "tool_call_update")
      .flatMap(({ status, content }) => (status === "completed" || status === "failed" ? [content] : [])),
    editor.commands.length,
  ]).toEqual([[[text("saved")], [text("on disk")], [text(expect.stringContaining("[exit code 3]"))]], commands]);
  await plain.stop();
});
