import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, type Caller, CaretError, type EventEnvelope, type SessionUpdate } from "@caret/protocol";
import type { ToolCall } from "../../calls/tool-call.ts";
import { type Lane, type LaneRequest, outcomeOfStop } from "../../lanes/lane.ts";
import type { EventStore } from "../../log/event-store.ts";
import { openSqliteEventStore } from "../../log/sqlite/sqlite-event-store.ts";
import { onlyWorkspaces } from "../../paths/allowed-workspace.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { withoutMarks } from "../../testing/without-marks.ts";
import { createSessionEngine, type SessionEngineOptions } from "../../turns/create-session-engine.ts";
import { createSessions } from "../create-sessions.ts";
import { openScratchDirectories } from "../scratch-directories.ts";
import type { SessionsOptions } from "../sessions-context.ts";

/** What the scripted agent does in its next turns. */
export type Manner =
  | "answer"
  | "fail"
  /** Talks until it is let go or cancelled. */
  | { readonly until: Promise<unknown> }
  /** Calls tools it was offered, one after the other, and says what came back. */
  | { readonly calls: readonly ToolCall[] };

export const anyone: Caller = { tokenName: "page" };

/** A sessions over a real log and a real engine whose lane is scripted, for the tests of the sessions. */
export function createSessionBench(
  changes: Partial<SessionsOptions> = {},
  engineChanges: Partial<SessionEngineOptions> = {},
) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sessions-")));
  const workspace = join(directory, "project");
  const other = join(directory, "other");
  for (const each of [workspace, other]) mkdirSync(each);
  const data = join(directory, "data");
  const scratchRoot = join(directory, "scratch");
  const asked: LaneRequest[] = [];
  let manner: Manner = "answer";
  let ids = 0;
  const newId = (): string => `id-${++ids}`;
  const lane = scriptedLane(asked, () => manner);
  const spawner = createInlineSpawner();
  const store = openSqliteEventStore({ directory: data, role: "gateway" });
  const scratch = openScratchDirectories({ root: scratchRoot, newId, now: Date.now });
  const allowedWorkspaces = onlyWorkspaces([workspace, other, scratchRoot, join(directory, "worktrees")]);
  const redactor = createRedactor({ secrets: [] });
  const engine = createSessionEngine({
    store,
    lanes: [lane],
    defaultLane: "sim",
    redactor: () => redactor,
    allowedWorkspaces,
    budgets: () => ({ turn: {}, session: {}, day: {} }),
    defaults: { model: "auto", mode: "agent", force: false },
    maxRawBytes: 1024,
    toolbox: { policy: { mode: "auto-edits", rules: [] }, servers: [], spawner, env: {}, outputsDir: directory },
    parkedLimitMs: 10_000,
    newId,
    newCallId: newId,
    wallClock: Date.now,
    ...engineChanges,
  });
  const errors: CaretError[] = [];
  const sessions = createSessions({
    engine,
    scratch,
    allowedWorkspaces,
    defaultWorkspace: workspace,
    defaultPermission: "auto-edits",
    lanes: ["sim"],
    resolveModel: async ({ model }) => {
      if (model === "nonsense") throw new CaretError("model-unknown", "There is no such model");
      return model ?? "auto";
    },
    attachmentsDir: join(directory, "attachments"),
    worktreesRoot: join(directory, "worktrees"),
    redactor: () => redactor,
    spawner,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory },
    newId,
    now: Date.now,
    onError: (error) => errors.push(error),
    pollMs: 20,
    updatesMs: 20,
    ...changes,
  });
  const guests: EventStore[] = [];

  return {
    sessions,
    engine,
    store,
    scratch,
    directory,
    workspace,
    other,
    /** What the lane was asked, in order. */
    asked,
    /** What went wrong where nobody waited. */
    errors,
    manner(next: Manner) {
      manner = next;
    },
    /** The same log, opened by another process. */
    guest(): EventStore {
      const guest = openSqliteEventStore({ directory: data, role: "guest", owner: "another process" });
      guests.push(guest);
      return guest;
    },
    /** Starts a turn and waits until its session can take the next one. */
    async turn(sessionId: string, prompt: string, more: object = {}) {
      const started = await sessions.startTurn(sessionId, { prompt, ...more }, anyone);
      await engine.runningTurn(sessionId)?.settled;
      return started;
    },
    async close() {
      await sessions.close();
      await engine.close();
      for (const guest of guests) await guest.close();
      await spawner.close();
      rmSync(directory, { recursive: true });
    },
  };
}

export type SessionBench = ReturnType<typeof createSessionBench>;

function scriptedLane(asked: LaneRequest[], mannerNow: () => Manner): Lane {
  const runTurn: Lane["runTurn"] = async (request, take, signal) => {
    asked.push({ ...request, prompt: withoutMarks(request.prompt) });
    const { turnId, workspace } = request;
    const upstream = request.upstream ?? { lane: "sim" as const, sessionId: `chat-${turnId}`, configDir: workspace };
    for await (const events of play(request, signal, mannerNow(), `Answer ${asked.length}`))
      await take(events.map((event, index) => (index === 0 ? { event, upstream } : { event })));
  };
  // A chat belongs to its directory.
  const canResume: Lane["canResume"] = ({ configDir }, workspace) => configDir === workspace;
  return { name: "sim", features: ["agent-tools", "gateway-tools"], runTurn, canResume, close: async () => undefined };
}

async function* play(
  request: LaneRequest,
  signal: AbortSignal,
  manner: Manner,
  answer: string,
): AsyncGenerator<readonly AgentEvent[]> {
  if (isWaiting(manner)) {
    yield says("Working on it");
    await Promise.race([manner.until, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
  }
  const heard = isCalling(manner) ? await callAll(request, manner.calls, signal) : [answer];
  if (signal.aborted) yield [{ type: "turn-end", outcome: outcomeOfStop(signal) }];
  else yield manner === "fail" ? [failedEnd] : answering(heard.join("\n"));
}

const failedEnd: AgentEvent = {
  type: "turn-end",
  outcome: { kind: "failed", error: new CaretError("usage-limit", "No more").toInfo() },
};

function answering(text: string): readonly AgentEvent[] {
  const usage: AgentEvent = { type: "usage", usage: { input: 10, output: 1 } };
  return [...says(text, "b2"), usage, { type: "turn-end", outcome: { kind: "completed" } }];
}

function isWaiting(manner: Manner): manner is { readonly until: Promise<unknown> } {
  return typeof manner === "object" && "until" in manner;
}

function isCalling(manner: Manner): manner is Extract<Manner, { readonly calls: unknown }> {
  return typeof manner === "object" && "calls" in manner;
}

async function callAll(
  { offered }: LaneRequest,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const heard: string[] = [];
  for (const call of calls) {
    offered?.announce(call);
    heard.push((await offered?.call(call, signal))?.text ?? "");
  }
  return heard;
}

function says(text: string, blockId = "b1"): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text },
    { type: "text-end", blockId },
  ];
}

/** Reads batches until one of the things in them is what was waited for; gives all of them. */
export async function readUntil<Item>(
  batches: AsyncIterable<readonly Item[]>,
  isLast: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const batch of batches) {
    all.push(...batch);
    if (batch.some(isLast)) return all;
  }
  return all;
}

/** The next batch of a follower that must not end yet. */
export async function nextBatch<Item>(batches: AsyncIterator<readonly Item[]>): Promise<readonly Item[]> {
  const { done, value } = await batches.next();
  if (done) throw new Error("It ended too early");
  return value;
}

export const isEndOf =
  (turnId: string) =>
  (envelope: EventEnvelope): boolean =>
    envelope.turnId === turnId && envelope.event.type === "turn-end";

export const isStatus =
  (kind: string) =>
  (updates: SessionUpdate): boolean =>
    updates.kind === "changed" && updates.session.status.kind === kind;
