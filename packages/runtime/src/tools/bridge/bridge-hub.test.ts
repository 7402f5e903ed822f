import { mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectBridge } from "./bridge-client.ts";
import { type BridgeHub, openBridgeHub } from "./bridge-hub.ts";
import type { CallResult } from "./bridge-messages.ts";

const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object", properties: {} } }];
const never = new AbortController().signal;

let directory: string;
let hub: BridgeHub;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-test-"));
  hub = await openBridgeHub(join(directory, "sockets", "bridge.sock"));
});
afterEach(async () => {
  await hub.close();
  rmSync(directory, { recursive: true });
});

const echo = async ({ name, input }: { name: string; input: object }): Promise<CallResult> => ({
  text: `${name} ${JSON.stringify(input)}`,
  isError: false,
});

describe("a bridge between an agent and the client's tools", () => {
  it("lists the turn's tools and carries calls, in any order", async () => {
    const gates = new Map<string, () => void>();
    const { secret } = hub.admit("t1", {
      tools,
      onCall: (call) => new Promise((resolve) => gates.set(call.name, () => void echo(call).then(resolve))),
    });
    const bridge = await connectBridge({ socketPath: hub.socketPath, turnId: "t1", secret });
    expect(bridge.tools).toEqual(tools);
    const first = bridge.call("a", { x: "é\n" }, never);
    const second = bridge.call("b", {}, never);
    await expect.poll(() => [...gates.keys()]).toEqual(["a", "b"]);
    gates.get("b")?.();
    gates.get("a")?.();
    expect(await Promise.all([first, second])).toEqual([
      { text: 'a {"x":"é\\n"}', isError: false },
      { text: "b {}", isError: false },
    ]);
    bridge.close();
  });

  it.each([
    ["a wrong secret", "t1", "wrong"],
    ["another turn's name", "t2", undefined],
  ])("lets nobody in with %s", async (_name, turnId, given) => {
    const { secret } = hub.admit("t1", { tools, onCall: echo });
    await expect(connectBridge({ socketPath: hub.socketPath, turnId, secret: given ?? secret })).rejects.toThrow(
      "refused",
    );
  });

  it("lets nobody in after the turn", async () => {
    const { secret, dismiss } = hub.admit("t1", { tools, onCall: echo });
    const bridge = await connectBridge({ socketPath: hub.socketPath, turnId: "t1", secret });
    dismiss();
    await bridge.closed;
    expect(await bridge.call("read", {}, never)).toEqual({
      text: "The gateway that runs this tool is gone.",
      isError: true,
    });
    await expect(connectBridge({ socketPath: hub.socketPath, turnId: "t1", secret })).rejects.toThrow();
  });

  it.each([
    ["a call before a hello", '{"type":"call","id":"1","name":"read","input":{}}\n'],
    ["something that is no JSON", "hello\n"],
    ["something that is no request", '{"type":"list-everything"}\n'],
  ])("hangs up on %s", async (_name, line) => {
    const calls: string[] = [];
    hub.admit("t1", { tools, onCall: async ({ name }) => ({ text: String(calls.push(name)), isError: false }) });
    const socket = connect(hub.socketPath);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.write(line);
    await closed;
    expect(calls).toEqual([]);
  });

  it("tells the gateway when the agent no longer waits for a call, and when it is gone", async () => {
    const signals: AbortSignal[] = [];
    const { secret } = hub.admit("t1", { tools, onCall: (_call, signal) => new Promise(() => signals.push(signal)) });
    const bridge = await connectBridge({ socketPath: hub.socketPath, turnId: "t1", secret });
    const controller = new AbortController();
    void bridge.call("a", {}, controller.signal);
    void bridge.call("b", {}, never);
    await expect.poll(() => signals.length).toBe(2);
    controller.abort();
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    bridge.close();
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("is the user's alone", () => {
    expect(statSync(hub.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "sockets")).mode & 0o777).toBe(0o700);
  });
});
