import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnswerCall, BridgeHello, ToolResult } from "../../calls/tool-call.ts";
import { type BridgeHub, type BridgeHubOptions, openBridgeHub } from "./bridge-hub.ts";
import { SocketTransport } from "./serve-tools.ts";

const tools = [
  { name: "read", description: "Reads.", inputSchema: { type: "object", properties: {}, $schema: "kept" } },
];
const never = new AbortController().signal;
const echo: AnswerCall = async ({ name, input }) => ({ text: `${name} ${JSON.stringify(input)}`, isError: false });

let directory: string;
let hub: BridgeHub;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-test-"));
  await reopen();
});
afterEach(async () => {
  await hub.close();
  rmSync(directory, { recursive: true });
});

async function reopen(more: Partial<BridgeHubOptions> = {}): Promise<void> {
  await hub?.close();
  hub = await openBridgeHub({ socketPath: join(directory, "sockets", "bridge.sock"), version: "1.2.3", ...more });
}

/** An agent as seen through its bridge. */
async function connectAgent(hello: BridgeHello): Promise<Client> {
  const socket = connect(hub.socketPath).on("error", () => undefined); // a rejected connection gives an error or an end
  socket.write(`${JSON.stringify(hello)}\n`);
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new SocketTransport(socket));
  return client;
}

async function admit(turnId: string, onCall: AnswerCall = echo) {
  const { secret, ...admission } = await hub.admit(turnId, { tools, onCall }, never);
  return { hello: { turnId, secret }, ...admission };
}

const said = (text: string) => ({ content: [{ type: "text", text }], isError: false });

describe("a bridge between an agent and the client's tools", () => {
  it("lists the turn's tools, schemas untouched, and carries calls, answered in any order", async () => {
    const gates = new Map<string, () => void>();
    const { hello } = await admit("t1", (call, signal) => {
      const { promise, resolve } = Promise.withResolvers<ToolResult>();
      gates.set(String(call.input["path"]), () => void echo(call, signal).then(resolve));
      return promise;
    });
    const agent = await connectAgent(hello);
    expect([agent.getServerVersion(), (await agent.listTools()).tools]).toEqual([
      { name: "caret", version: "1.2.3" },
      tools,
    ]);
    const first = agent.callTool({ name: "read", arguments: { path: "é\n" } });
    const second = agent.callTool({ name: "read", arguments: { path: "b" } });
    await expect.poll(() => [...gates.keys()]).toEqual(["é\n", "b"]);
    gates.get("b")?.();
    expect(await second).toMatchObject(said('read {"path":"b"}'));
    gates.get("é\n")?.();
    expect(await first).toMatchObject(said('read {"path":"é\\n"}'));
    await agent.close();
  });

  it("tells the agent when its tools change, and then has the new ones", async () => {
    const admission = await hub.admit("t1", { tools, mayGrow: true, onCall: echo }, never);
    const agent = await connectAgent({ turnId: "t1", secret: admission.secret });
    const changed = Promise.withResolvers<void>();
    agent.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    const namesOf = async () => (await agent.listTools()).tools.map(({ name }) => name);
    const before = await namesOf();
    admission.offer([...tools, { name: "late", inputSchema: { type: "object" } }]);
    await changed.promise;
    expect({ before, after: await namesOf(), called: await agent.callTool({ name: "late" }) }).toMatchObject({
      before: ["read", "call_tool"],
      after: ["read", "late", "call_tool"],
      called: said("late {}"),
    });
    await agent.close();
  });

  it("reaches an added tool through one that was there before, for agents that do not look again", async () => {
    const admission = await hub.admit("t1", { tools, mayGrow: true, onCall: echo }, never);
    const agent = await connectAgent({ turnId: "t1", secret: admission.secret });
    const call = () => agent.callTool({ name: "call_tool", arguments: { name: "late", arguments: { x: 1 } } });
    const before = await call();
    admission.offer([...tools, { name: "late", inputSchema: { type: "object" } }]);
    expect([before, await call()]).toMatchObject([{ isError: true }, said('late {"x":1}')]);
    await agent.close();
  });

  it("carries the images of a result beside its text", async () => {
    const image = { mediaType: "image/png", data: "iVBORw0KGgo=" };
    const { hello } = await admit("t1", async () => ({ text: "It shows:", images: [image], isError: false }));
    const agent = await connectAgent(hello);
    expect((await agent.callTool({ name: "read" })).content).toEqual([
      { type: "text", text: "It shows:" },
      { type: "image", mimeType: "image/png", data: image.data },
    ]);
    await agent.close();
  });

  it("refuses a tool that nobody offered without asking anybody", async () => {
    const { hello } = await admit("t1", () => Promise.reject(new Error("asked")));
    const agent = await connectAgent(hello);
    const content = [{ type: "text", text: "There is no tool shell." }];
    expect(await agent.callTool({ name: "shell" })).toMatchObject({ content, isError: true });
    await agent.close();
  });

  it("keeps a call alive by telling progress for as long as it waits", async () => {
    await reopen({ progressMs: 5 });
    const waits = Promise.withResolvers<ToolResult>();
    const { hello } = await admit("t1", () => waits.promise);
    const agent = await connectAgent(hello);
    const told: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => {
      told.push(progress);
      if (progress === 5) waits.resolve({ text: "done", isError: false });
    };
    expect(await agent.callTool({ name: "read" }, { onprogress })).toMatchObject(said("done"));
    expect(told.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
    await agent.close();
  });

  it("carries messages of many megabytes whole", async () => {
    const { hello } = await admit("t1", async ({ input }) => ({ text: String(input["text"]), isError: false }));
    const agent = await connectAgent(hello);
    const text = "Äpfel und Birnen\n".repeat(300_000);
    expect(await agent.callTool({ name: "read", arguments: { text } })).toMatchObject(said(text));
    await agent.close();
  });

  it("is not disturbed by a line that is no message", async () => {
    const { hello } = await admit("t1");
    const socket = connect(hub.socketPath);
    socket.write(`${JSON.stringify(hello)}\nnot a message\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n`);
    const [answer] = (await once(socket.setEncoding("utf8"), "data")) as [string];
    expect(JSON.parse(answer)).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    socket.destroy();
  });

  it("tells the gateway when the agent no longer waits for a call, and when it is gone", async () => {
    const signals: AbortSignal[] = [];
    const { hello } = await admit("t1", (_call, signal) => new Promise(() => signals.push(signal)));
    const agent = await connectAgent(hello);
    const controller = new AbortController();
    const calls = [
      agent.callTool({ name: "read" }, { signal: controller.signal }),
      agent.callTool({ name: "read", arguments: { x: 1 } }),
    ];
    const ends = Promise.allSettled(calls);
    await expect.poll(() => signals.length).toBe(2);
    controller.abort();
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await agent.close();
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

describe("the gateway's end of the bridges", () => {
  it.each([
    ["a wrong secret", { turnId: "t1", secret: "wrong" }],
    ["another turn's name", { turnId: "t2" }],
  ])("lets nobody in with %s", async (_name, wrong) => {
    const { hello } = await admit("t1");
    await expect(connectAgent({ ...hello, ...wrong })).rejects.toThrow("Connection closed");
  });

  it("lets nobody in after the turn, and shows out who is there", async () => {
    const { hello, dismiss } = await admit("t1");
    const agent = await connectAgent(hello);
    const left = new Promise<void>((resolve) => {
      agent.onclose = resolve;
    });
    dismiss();
    await left;
    await expect(connectAgent(hello)).rejects.toThrow("Connection closed");
  });

  it.each([
    ["a call before a hello", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n'],
    ["something that is no JSON", "hello\n"],
    ["a first line without an end", "x".repeat(5_000)],
  ])("hangs up on %s", async (_name, text) => {
    const calls: string[] = [];
    await admit("t1", async ({ name }) => ({ text: String(calls.push(name)), isError: false }));
    const socket = connect(hub.socketPath).on("error", () => undefined);
    socket.write(text);
    await once(socket, "close");
    expect(calls).toEqual([]);
  });

  it("is the user's alone", () => {
    expect(statSync(hub.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "sockets")).mode & 0o777).toBe(0o700);
  });
});

describe("agents that start at the same instant", () => {
  type Admitted = Awaited<ReturnType<typeof admit>>;

  it.each([
    ["has said hello through its bridge", async ({ hello }: Admitted) => void (await connectAgent(hello))],
    ["works without having looked at its tools", async ({ started }: Admitted) => started()],
    ["is gone", async ({ dismiss }: Admitted) => dismiss()],
  ])("start one after another where one is the limit: the next when the last %s", async (_name, goOn) => {
    await reopen({ maxStarting: 1, startMs: 600_000 });
    const first = await admit("t1");
    let isSecondIn = false;
    const second = admit("t2").then(() => {
      isSecondIn = true;
    });
    // A round trip over the hub's own socket: time enough for a call that does not have to wait.
    await expect(connectAgent({ turnId: "t3", secret: "none" })).rejects.toThrow("Connection closed");
    expect(isSecondIn).toBe(false);
    await goOn(first);
    await second;
  });

  it("do not wait for ever for one that never says hello", async () => {
    await reopen({ maxStarting: 1, startMs: 20 });
    await admit("t1");
    await admit("t2");
    expect(await admit("t3")).toMatchObject({ hello: { turnId: "t3" } });
  });

  it("need not wait when they are cancelled", async () => {
    await reopen({ maxStarting: 1, startMs: 600_000 });
    await admit("t1");
    const controller = new AbortController();
    const second = hub.admit("t2", { tools, onCall: echo }, controller.signal);
    controller.abort(new Error("Never mind"));
    await expect(second).rejects.toThrow("Never mind");
  });
});
