import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { socketFetch } from "@caret/cli/src/gateway/socket-fetch.ts";
import { type AgentEvent, createNativeClient, type NativeClient } from "@caret/protocol";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { killOne } from "../clients/victims.ts";

let home: GatewayHome;
let gateway: GatewayProcess;
let caret: NativeClient;

beforeEach(() => {
  home = new GatewayHome();
  // No token: the socket's directory is the boundary. Its address stays the same across restarts.
  caret = createNativeClient({
    baseUrl: "http://localhost",
    fetch: socketFetch(join(home.dataDir, "gateway.sock")),
    wait: () => new Promise((resolve) => setTimeout(resolve, 50)),
  });
});
afterEach(async () => {
  gateway.kill("SIGKILL");
  await gateway.exited;
  home.remove();
});

const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace], env });
};

/** As a machine that loses power: nothing is told to stop. */
const restart = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  gateway.kill("SIGKILL");
  await gateway.exited;
  await start(env);
};

/** Resolves when the agent has nothing to do. */
const idle = async (name: string): Promise<void> => {
  const signal = AbortSignal.timeout(barSize({ quick: 120_000, full: 600_000 }));
  while ((await caret.getAgent(name)).doing.kind !== "idle") {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

async function eventsOf(name: string): Promise<readonly AgentEvent[]> {
  const { sessionId } = await caret.getAgent(name);
  const { events } = await caret.readLog(sessionId, { after: 0, limit: 10_000 });
  return events.map(({ event }) => event);
}

async function promptsOf(name: string): Promise<readonly (string | undefined)[]> {
  return (await eventsOf(name)).flatMap((event) => (event.type === "turn-start" ? [event.prompt] : []));
}

const lastTextOf = (events: readonly AgentEvent[]): string => {
  const lastStart = events.findLastIndex(({ type }) => type === "turn-start");
  return events
    .slice(lastStart)
    .map((event) => (event.type === "text-delta" ? event.text : ""))
    .join("");
};

/** Sends until it is acknowledged, as a program would that lost its connection: always under the same id. */
async function deliver(name: string, text: string): Promise<void> {
  for (;;)
    try {
      await caret.sendMessage(name, { id: `${name} ${text}`, text });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20)); // the gateway is being restarted
    }
}

describe("messages to agents", () => {
  const messages = 100;
  const kills = 3;
  it.runIf(isFullRun())(
    `are neither lost nor doubled nor reordered when the gateway and agents are killed among ${5 * messages} of them`,
    async () => {
      await start();
      const names = ["ada", "bob", "cyd", "dan", "eve"];
      for (const name of names) await caret.createAgent({ name, workspace: home.workspace, permission: "full" });
      const texts = Array.from({ length: messages }, (_, index) => `Count to ${index + 1}.`);
      const senders = Promise.all(
        names.map(async (name) => {
          for (const text of texts) await deliver(name, text);
        }),
      );
      const waiting = async (): Promise<number> =>
        (await caret.listAgents()).reduce((sum, agent) => sum + agent.waiting, 0);
      for (let round = 0; round < kills; round += 1) {
        const before = home.turns().length;
        await eventually(() => home.turns().length >= before + 4, "agents work", 30_000);
        for (const pid of home.agents().slice(0, 2)) killOne(pid);
        await restart();
      }
      await senders;
      for (const name of names) await idle(name);
      for (const name of names) expect(await promptsOf(name)).toEqual(texts);
      expect(await waiting()).toBe(0);
      await gateway.stop();
      await eventually(() => home.agents().length === 0, "no agent is left");
    },
    600_000,
  );
});

describe("a suspended agent", () => {
  it("costs no process, keeps its session over a kill of the gateway, and remembers when it is resumed", async () => {
    await start();
    const created = await caret.createAgent({ name: "ada", workspace: home.workspace, permission: "full" });
    await caret.sendMessage("ada", { text: "Remember that the word is plum." });
    await idle("ada");
    await caret.suspendAgent("ada");
    const costs = home.agents();
    await restart();
    await caret.sendMessage("ada", { text: "What did I ask you to remember?" });
    const suspended = await caret.getAgent("ada");
    expect([costs, suspended.doing.kind, suspended.waiting]).toEqual([[], "suspended", 1]);
    await eventually(() => home.agents().length === 0, "the models are listed, and nothing else is started");
    const resumed = await caret.resumeAgent("ada");
    await idle("ada");
    const events = await eventsOf("ada");
    const upstream = events.flatMap((event) =>
      event.type === "session-ready" && event.sessionId !== undefined ? [event.sessionId] : [],
    );
    expect([resumed.sessionId, resumed.chatLost]).toEqual([created.sessionId, undefined]);
    expect([lastTextOf(events), new Set(upstream).size]).toEqual([expect.stringContaining("plum"), 1]);
  }, 60_000);

  it("whose chat is gone says so, and its next turn reports it", async () => {
    await start();
    await caret.createAgent({ name: "ada", workspace: home.workspace, permission: "full" });
    await caret.sendMessage("ada", { text: "Remember that the word is plum." });
    await idle("ada");
    await caret.suspendAgent("ada");
    rmSync(join(home.dataDir, "simulator", "chats"), { recursive: true });
    const resumed = await caret.resumeAgent("ada");
    await caret.sendMessage("ada", { text: "What did I ask you to remember?" });
    await idle("ada");
    const notices = (await eventsOf("ada")).flatMap((event) => (event.type === "notice" ? [event.kind] : []));
    expect([resumed.chatLost, notices]).toEqual([true, ["resume-lost"]]);
  }, 60_000);
});

describe("the gateway's Unix socket", () => {
  it("is for its user alone, serves without a token, and is gone when the gateway is", async () => {
    await start();
    const path = join(home.dataDir, "gateway.sock");
    const modes = [statSync(path).mode & 0o777, statSync(home.dataDir).mode & 0o777];
    const fetchByName = (headers: Readonly<Record<string, string>>) =>
      socketFetch(path)("http://localhost/api/agents", { headers });
    const answers = [
      (await fetchByName({})).status,
      (await fetchByName({ authorization: "Bearer wrong" })).status,
      (await fetchByName({ origin: "https://example.invalid" })).status,
      (await fetch(`${gateway.url}/api/agents`)).status,
    ];
    await gateway.stop();
    expect([modes, answers, existsSync(path), readdirSync(home.dataDir).includes("gateway.json")]).toEqual([
      [0o600, 0o700],
      [200, 401, 403, 401],
      false,
      false,
    ]);
  }, 60_000);
});
