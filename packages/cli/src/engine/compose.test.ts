import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LazyBridge, lazyBridge } from "./compose.ts";

type Opened = Awaited<ReturnType<LazyBridge["open"]>>;
type OnCall = Parameters<Opened["hub"]["admit"]>[1]["onCall"];

const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object", properties: {} } }];
const never = new AbortController().signal;
const parks: OnCall = () => new Promise(() => undefined);

let bridge: LazyBridge;
let opened: Opened;
let children: ChildProcessByStdio<Writable, Readable, Readable>[];
beforeEach(async () => {
  bridge = lazyBridge();
  opened = await bridge.open();
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await bridge.close();
});

async function admit(onCall: OnCall) {
  const { secret, dismiss } = await opened.hub.admit("t1", { tools, onCall }, never);
  const env = {
    CARET_BRIDGE_SOCKET: opened.hub.socketPath,
    CARET_BRIDGE_TURN: "t1",
    CARET_BRIDGE_SECRET: secret,
  };
  return { env, dismiss };
}

/** A bridge as an agent starts it, and the messages to and from it. */
function startBridge(env: Readonly<Record<string, string>>) {
  const { file, args } = opened.command;
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return {
    child,
    exit: once(child, "close").then(([code]) => ({ code: code as number | null, stderr })),
    say: (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    hear: async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null"),
  };
}

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "agent", version: "1" } },
};

describe("caret mcp-bridge", () => {
  it("is an MCP server with the tools of its turn", async () => {
    const { env } = await admit(async ({ name, input }) => ({ text: `${name} ${input["path"]}`, isError: false }));
    const { say, hear } = startBridge(env);
    say(initialize);
    expect(await hear()).toMatchObject({
      id: 1,
      result: { protocolVersion: "2025-06-18", serverInfo: { name: "caret" } },
    });
    say({ method: "notifications/initialized" });
    say({ id: 2, method: "tools/list" });
    expect(await hear()).toMatchObject({ id: 2, result: { tools } });
    // Larger than any pipe between the two, so each end has to wait for the other.
    const path = "é".repeat(2_000_000);
    say({ id: 3, method: "tools/call", params: { name: "read", arguments: { path } } });
    expect(await hear()).toMatchObject({ id: 3, result: { content: [{ type: "text", text: `read ${path}` }] } });
  });

  it("leaves when the agent ends its input, even while a call waits", async () => {
    const parked = Promise.withResolvers<AbortSignal>();
    const { env } = await admit((call, signal) => {
      parked.resolve(signal);
      return parks(call, signal);
    });
    const { child, say, exit } = startBridge(env);
    say({ id: 3, method: "tools/call", params: { name: "read" } });
    const signal = await parked.promise;
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, stderr: "" });
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it("leaves when its turn is over", async () => {
    const { env, dismiss } = await admit(parks);
    const { say, hear, exit } = startBridge(env);
    say(initialize);
    await hear();
    dismiss();
    expect(await exit).toMatchObject({ code: expect.any(Number) });
  });

  it("ends the turn at the gateway when it dies", async () => {
    const parked = Promise.withResolvers<AbortSignal>();
    const { env } = await admit((call, signal) => {
      parked.resolve(signal);
      return parks(call, signal);
    });
    const { child, say } = startBridge(env);
    say({ id: 3, method: "tools/call", params: { name: "read" } });
    const signal = await parked.promise;
    child.kill("SIGKILL");
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it("says why when there is no gateway", async () => {
    const { env } = await admit(parks);
    const { exit } = startBridge({ ...env, CARET_BRIDGE_SOCKET: `${opened.hub.socketPath}.gone` });
    expect(await exit).toEqual({ code: 1, stderr: expect.stringContaining("ENOENT") });
  });

  it("is of no use by hand, and says so", async () => {
    expect(await startBridge({}).exit).toEqual({ code: 2, stderr: expect.stringContaining("of no use by hand") });
  });
});
