import { spawn } from "node:child_process";
import { connect } from "node:net";
import { type AgentEvent, createNativeClient, type NativeClient } from "@caret/protocol";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { eventOf, textOf } from "./await-event.ts";
import { caretCommand } from "./run-in-terminal.ts";

const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ");
const scenario: ScenarioInput = {
  turns: [
    { when: "count", steps: [{ text: words, tokensPerDelta: 1, deltaMs: 50 }] },
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    {
      when: "a file",
      steps: [{ tool: { server: "caret", name: "write", args: { path: "a.txt", content: "a" } } }, { text: "Done." }],
    },
  ],
};

/** Each test leaves the gateway that it has started after the one it stopped. */
const home = new GatewayHome(scenario);
/** How often it is stopped as soon as it can be. */
const ROUNDS = barSize({ quick: 1, full: 3 });
let gateway: GatewayProcess;
let caret: NativeClient;
beforeAll(() => start());
afterAll(async () => {
  gateway.kill("SIGKILL");
  await gateway.exited;
  home.remove();
});

async function start(): Promise<void> {
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
  const { url, token } = gateway;
  caret = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
}

/** What the log holds, as the next gateway reads it. */
async function logOf(sessionId: string): Promise<readonly AgentEvent[]> {
  await start();
  const { events } = await caret.readLog(sessionId, { limit: 10_000 });
  return events.map(({ event }) => event);
}

async function stopAndTime(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly ms: number }> {
  const startedAt = performance.now();
  gateway.kill(signal);
  const { code } = await gateway.exited;
  return { code, ms: performance.now() - startedAt };
}

describe("The first Ctrl-C", () => {
  it.each((["SIGINT", "SIGTERM"] as const).slice(0, barSize({ quick: 1, full: 2 })))(
    "lets a turn of the page finish (%s)",
    async (signal) => {
      const { id } = await caret.createSession({ permission: "full" });
      const { firstSeq } = await caret.startTurn(id, { prompt: "Please count" });
      await eventOf(caret, id, "text-delta", firstSeq);
      const { code } = await stopAndTime(signal);
      const events = await logOf(id);
      expect({
        code,
        text: events.map((event) => (event.type === "text-delta" ? event.text : "")).join(""),
        end: events.at(-1),
      }).toEqual({ code: 0, text: words, end: { type: "turn-end", outcome: { kind: "completed" } } });
    },
  );

  it("goes on sending to followers of the turn, and takes nothing new", async () => {
    const { id } = await caret.createSession({ permission: "full" });
    const { firstSeq } = await caret.startTurn(id, { prompt: "Please count" });
    await eventOf(caret, id, "text-delta", firstSeq);
    const { promise: following, resolve: follows } = Promise.withResolvers<void>();
    const followed = (async () => {
      for await (const events of caret.followEvents(id, { after: firstSeq, signal: AbortSignal.timeout(50_000) })) {
        follows();
        if (events.some(({ event }) => event.type === "turn-end")) return textOf(events);
      }
      return undefined;
    })();
    await following;
    gateway.kill("SIGINT");
    await expect.poll(() => fetch(`${gateway.url}/healthz`).catch(() => "refused")).toBe("refused");
    await expect(followed).resolves.toBeDefined();
    expect((await gateway.exited).code).toBe(0);
    await start();
  });

  it("ends what waits for a person, and the log says that Caret's stop did", async () => {
    const { id } = await caret.createSession({ permission: "supervised" });
    const { firstSeq } = await caret.startTurn(id, { prompt: "Write a file" });
    const { event: request } = await eventOf(caret, id, "approval-request", firstSeq);
    const { code } = await stopAndTime("SIGINT");
    const events = await logOf(id);
    expect({ code, answers: events.filter(({ type }) => type === "approval-answer"), end: events.at(-1) }).toEqual({
      code: 0,
      answers: [
        {
          type: "approval-answer",
          requestId: request.requestId,
          decision: "rejected",
          by: "nobody",
          reason: "Caret stopped before anybody answered",
        },
      ],
      end: expect.objectContaining({
        outcome: {
          kind: "failed",
          error: expect.objectContaining({
            code: "interrupted",
            message: "Caret stopped while this turn was running",
          }),
        },
      }),
    });
  });

  it.runIf(isFullRun())(
    "does not wait for a turn for ever when a service manager sends it: the turn is logged as interrupted",
    async () => {
      const { id } = await caret.createSession({ permission: "full" });
      const { firstSeq } = await caret.startTurn(id, { prompt: "Go on for ever" });
      await eventOf(caret, id, "text-delta", firstSeq);
      const { code, ms } = await stopAndTime("SIGTERM");
      expect({ code, isPatient: ms > 8_000, isQuick: ms < 15_000 }).toEqual({
        code: 0,
        isPatient: true,
        isQuick: true,
      });
      expect((await logOf(id)).at(-1)).toMatchObject({ outcome: { kind: "failed", error: { code: "interrupted" } } });
    },
  );
});

it("The second Ctrl-C ends at once, and what waited is logged as ended by it", async () => {
  const { id } = await caret.createSession({ permission: "full" });
  const { firstSeq } = await caret.startTurn(id, { prompt: "Go on for ever" });
  await eventOf(caret, id, "text-delta", firstSeq);
  gateway.kill("SIGINT");
  await expect.poll(() => fetch(`${gateway.url}/healthz`).catch(() => "refused")).toBe("refused");
  const { code, ms } = await stopAndTime("SIGINT");
  expect({ code, isQuick: ms < 2_000 }).toEqual({ code: 130, isQuick: true });
  expect((await logOf(id)).at(-1)).toMatchObject({ outcome: { kind: "failed", error: { code: "interrupted" } } });
});

it("What waited for a person when Caret was killed is logged as ended by that", async () => {
  const { id } = await caret.createSession({ permission: "supervised" });
  const { firstSeq } = await caret.startTurn(id, { prompt: "Write a file" });
  await eventOf(caret, id, "approval-request", firstSeq);
  await stopAndTime("SIGKILL");
  expect((await logOf(id)).filter(({ type }) => type === "approval-answer")).toMatchObject([
    { decision: "rejected", by: "nobody", reason: "Caret stopped before anybody answered" },
  ]);
});

describe("In a terminal", () => {
  let other: GatewayHome;
  beforeEach(() => {
    other = new GatewayHome(scenario);
  });
  afterEach(() => other.remove());

  /** What `caret serve` prints when it is interrupted, once it is ready and `before` has happened. */
  async function said(before: (url: string, token: string) => Promise<void>): Promise<string> {
    const args = [caretCommand, "serve", "--lane", "sim", "--port", "0", "--workspace", other.workspace];
    const child = spawn(process.execPath, args, { cwd: other.directory, env: other.environment() });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await expect.poll(() => stdout, { timeout: 50_000 }).toContain("Press Ctrl-C to stop.");
    const url = /ready at (\S+)/.exec(stdout)?.[1] ?? "";
    await before(url, /Token +(\S+)/.exec(stdout)?.[1] ?? "");
    child.kill("SIGINT");
    await exited;
    return stderr;
  }

  it.runIf(isFullRun())(
    "nothing is said about waiting when nothing runs, and no error is written, however soon it is stopped",
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) expect(await said(async () => undefined)).toBe("");
    },
  );

  it.runIf(isFullRun())("an idle connection delays nothing", async () => {
    let stoppedAt = 0;
    await said(async (url) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      await new Promise((resolve) => socket.once("connect", resolve));
      await fetch(`${url}/healthz`);
      stoppedAt = performance.now();
    });
    // Far less than the minute for which an idle connection is kept.
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
  });

  it("is said which turns are waited for", async () => {
    const text = await said(async (baseUrl, token) => {
      const client = createNativeClient({ baseUrl, headers: { authorization: `Bearer ${token}` } });
      const { id } = await client.createSession({ permission: "full", title: "A long count" });
      const { firstSeq } = await client.startTurn(id, { prompt: "Please count" });
      await eventOf(client, id, "text-delta", firstSeq);
    });
    expect(text).toBe("\nWaiting for 1 turn to end; press Ctrl-C again to stop at once:\n  A long count\n");
  });
});
