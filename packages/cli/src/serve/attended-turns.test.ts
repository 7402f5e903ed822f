import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type AgentEvent, assertWellFormedTurn } from "@caret/protocol";
import type { RunningTurn, TurnRequest } from "@caret/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** The whole engine over the simulated agent, in a workspace of the user's; a person is there to be asked. */
let directory: string;
let workspace: string;
let scratch: string;
let opened: OpenedEngine;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-attended-")));
  workspace = join(directory, "project");
  mkdirSync(workspace);
});
afterEach(async () => {
  await opened.close();
  rmSync(directory, { recursive: true, force: true });
});

async function open(env: Readonly<Record<string, string>>): Promise<void> {
  const host = hostOf(env);
  const { config } = loadConfig({ ...host, flags: {}, readFile: () => undefined });
  scratch = join(scratchRoot(config), "session");
  mkdirSync(scratch, { recursive: true });
  opened = await openEngine(host, config, { workspaces: [workspace], keepWarm: false });
}

function hostOf(env: Readonly<Record<string, string>>): Host {
  const stream = () => new PassThrough();
  return {
    argv: [],
    command: "caret",
    env: {
      PATH: process.env["PATH"] ?? "",
      CARET_LANE: "sim",
      CARET_SPAWNER_ENABLED: "false",
      CARET_DATA_DIR: join(directory, "data"),
      ...env,
    },
    cwd: directory,
    home: directory,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
}

/** An agent that makes these calls of offered tools, whatever it is asked. */
async function openCalling(...calls: readonly { readonly name: string; readonly args: object }[]): Promise<void> {
  const file = join(directory, "scenario.json");
  const steps = calls.map((call) => ({ tool: { server: "caret", ...call } }));
  writeFileSync(file, JSON.stringify({ turns: [[...steps, { text: "Done." }]] }));
  await open({ CARET_SIM_SCENARIO: file });
}

async function start(more: Partial<TurnRequest> = {}): Promise<RunningTurn> {
  const gatewayTools = { system: "", realWorkspace: workspace, permission: "supervised" } as const;
  const where = more.sessionId === undefined ? { workspace } : {};
  const asked = { prompt: "Go on", ...where, agentWorkspace: scratch, attended: true, gatewayTools } as const;
  return await opened.engine.startTurn({ ...asked, ...more });
}

/** Resolves with the id of the first request that waits for a person. */
async function asked({ asks }: RunningTurn): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const look = (): void => {
    const [first] = asks.open();
    if (first !== undefined) resolve(first.requestId);
  };
  const stop = asks.onChange(look);
  look();
  const requestId = await promise;
  stop();
  return requestId;
}

async function eventsOf(turn: RunningTurn): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of turn.follow()) events.push(...batch.map(({ event }) => event));
  await turn.settled;
  assertWellFormedTurn(events);
  return events;
}

const stepsOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === "approval-answer") return [`${event.decision} by ${event.by}`];
    if (event.type === "tool-result") return [`result ${event.status}`];
    return /^(tool|question|approval)/.test(event.type) ? [event.type] : [];
  });
const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");

const write = { name: "write", args: { path: "a.txt", content: "hi\n" } };

describe("a turn that a person attends", () => {
  it("changes the user's workspace once it was approved, and leaves it alone when it was not", async () => {
    await openCalling(write, { name: "write", args: { path: "b.txt", content: "no" } });
    const turn = await start();
    turn.asks.answerApproval(await asked(turn), { decision: "approved" });
    turn.asks.answerApproval(await asked(turn), { decision: "rejected", reason: "no b" });
    const events = await eventsOf(turn);
    expect(stepsOf(events)).toEqual([
      ...["tool-call", "approval-request", "approved by person", "result ok"],
      ...["tool-call", "approval-request", "rejected by person", "result rejected"],
    ]);
    expect([await turn.outcome, readdirSync(workspace), readdirSync(scratch)]).toEqual([
      { kind: "completed" },
      ["a.txt"],
      [".cursor"],
    ]);
  }, 30_000);

  it("is cancelled while it waits, and nothing was done", async () => {
    await openCalling(write);
    const turn = await start();
    await asked(turn);
    turn.cancel();
    const events = await eventsOf(turn);
    expect(stepsOf(events)).toEqual(["tool-call", "approval-request", "rejected by nobody", "result interrupted"]);
    expect([await turn.outcome, readdirSync(workspace)]).toEqual([{ kind: "cancelled" }, []]);
  }, 30_000);

  it("gets its question answered", async () => {
    const options = [
      { id: "r", label: "Red" },
      { id: "b", label: "Blue" },
    ];
    await openCalling({ name: "ask_user", args: { questions: [{ id: "q", prompt: "Which?", options }] } });
    const turn = await start();
    turn.asks.answerQuestion(await asked(turn), { answers: [{ questionId: "q", optionIds: ["b"] }] });
    const events = await eventsOf(turn);
    expect(stepsOf(events)).toEqual(["tool-call", "question", "question-answer", "result ok"]);
    expect(events.find((event) => event.type === "tool-result")).toMatchObject({
      output: "The user answered:\n- Which? Blue",
    });
  }, 30_000);

  it("hears what is said to it while it works", async () => {
    writeFileSync(join(workspace, "notes.txt"), "plain words\n");
    await open({ CARET_TOOLS_RULES: JSON.stringify([{ effect: "ask", tool: "read" }]) });
    const turn = await start({ prompt: "Read notes.txt and tell me what it says" });
    const requestId = await asked(turn);
    await turn.steer("Mind the gap");
    turn.asks.answerApproval(requestId, { decision: "approved" });
    const events = await eventsOf(turn);
    expect(textOf(events)).toMatch(/plain words.*Mind the gap/s);
    expect(events.filter((event) => event.type === "notice")).toEqual([
      { type: "notice", kind: "steer", message: "Mind the gap" },
      { type: "notice", kind: "steer", message: "Mind the gap", detail: { isHeard: true } },
    ]);
    expect([turn.unsentSteering(), readFileSync(join(scratch, ".cursor", "rules", "caret.mdc"), "utf8")]).toEqual([
      [],
      expect.stringContaining("<user-message key="),
    ]);
  }, 30_000);
});

describe("a session of the user's workspace", () => {
  it("continues its chat while its agent works elsewhere, and gets a new chat with the history when the agent works in it itself", async () => {
    await open({});
    const first = await start({ prompt: "What is 2 + 3?" });
    await eventsOf(first);
    const { sessionId } = first;
    const noticesOf = async (turn: RunningTurn) =>
      (await eventsOf(turn)).flatMap((event) => (event.type === "notice" ? [event.kind] : []));
    const second = await start({ sessionId, prompt: "What is 3 + 4?" });
    expect(await noticesOf(second)).toEqual([]);
    const own = await opened.engine.startTurn({ sessionId, prompt: "What did I ask first?" });
    expect(await noticesOf(own)).toEqual(["resume-lost"]);
    const session = await opened.engine.store.getSession(sessionId);
    expect(session?.workspace).toBe(workspace);
  }, 30_000);
});
