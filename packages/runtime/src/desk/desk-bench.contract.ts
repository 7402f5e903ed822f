import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, CaretError } from "@caret/protocol";
import { onlyWorkspaces } from "../engine/allowed-workspace.ts";
import { createSessionEngine } from "../engine/create-session-engine.ts";
import type { Lane, LaneRequest } from "../engine/lane.ts";
import { createMemoryLineageStore } from "../lineage/memory-lineage-store.ts";
import type { TranscriptMessage } from "../lineage/transcript.ts";
import { createInlineSpawner } from "../process/inline-spawner.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { createMemoryEventStore } from "../store/memory/memory-event-store.ts";
import { createTurnDesk, type TurnDeskOptions } from "./create-turn-desk.ts";
import { openScratchPlaces } from "./scratch-places.ts";
import type { DeskCaller, DeskRequest, DeskTurn } from "./turn-desk.ts";

/** What a scripted turn does: answer at once, fail, or talk until it is let go or cancelled. */
export type Manner =
  | "answer"
  | "fail"
  | { readonly until: Promise<unknown> }
  /** Rounds of calls of the client's tools, made together; then it tells what came back. */
  | { readonly calls: readonly (readonly string[])[] };

/** A desk over a real engine whose lane is scripted, for the tests of the desk. */
export function createDeskBench(changes: Partial<TurnDeskOptions> = {}) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-desk-")));
  const workspace = join(directory, "project");
  mkdirSync(workspace);
  const asked: LaneRequest[] = [];
  let manner: Manner = "answer";
  const clock = { now: Date.now() };
  let ids = 0;
  const newId = (): string => `id${++ids}`;

  async function* runTurn(
    request: LaneRequest,
    { signal, onUpstream }: Parameters<Lane["runTurn"]>[1],
  ): AsyncGenerator<readonly AgentEvent[]> {
    asked.push(request);
    const how = manner;
    onUpstream(request.upstream ?? { lane: "sim", sessionId: `chat-${request.turnId}` });
    if (typeof how === "object" && "calls" in how) {
      yield* callTools(request, how.calls, signal);
      return;
    }
    if (typeof how === "object") {
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield says("working");
      await Promise.race([how.until, aborted]);
    }
    if (signal.aborted) yield [{ type: "turn-end", outcome: { kind: "cancelled" } }];
    else if (how === "fail") yield [{ type: "turn-end", outcome: failed }];
    else yield [...says(`answer ${asked.length}`, "b2"), { type: "turn-end", outcome: { kind: "completed" } }];
  }
  const lane: Lane = { name: "sim", runTurn, canResume: () => true, close: () => Promise.resolve() };

  const store = createMemoryEventStore();
  const spawner = createInlineSpawner();
  const scratchRoot = join(directory, "scratch");
  const scratch = openScratchPlaces({ root: scratchRoot, newId, now: () => clock.now });
  const engine = createSessionEngine({
    store,
    lanes: [lane],
    defaultLane: "sim",
    redactor: () => createRedactor({ secrets: [] }),
    allowedWorkspaces: onlyWorkspaces([workspace, scratchRoot]),
    budgets: { turn: {}, session: {}, day: {} },
    defaults: { model: "auto", mode: "agent", force: false },
    maxRawBytes: 1024,
    toolbox: { policy: { mode: "auto-edits", rules: [] }, servers: [], spawner, env: {}, outputsDir: directory },
    parkedLimitMs: 1_000,
    newId,
    newCallId: newId,
    wallClock: () => clock.now,
  });
  const lineage = createMemoryLineageStore();
  const desk = createTurnDesk({
    engine,
    lineage,
    scratch,
    resolveModel: async ({ model }) => model ?? "auto",
    defaultWorkspace: workspace,
    maxTurns: 8,
    now: () => clock.now,
    ...changes,
  });

  return {
    desk,
    engine,
    store,
    lineage,
    scratch,
    scratchRoot,
    workspace,
    clock,
    /** What the lane was asked, in order. */
    asked,
    manner(next: Manner) {
      manner = next;
    },
    open: (messages: readonly TranscriptMessage[], more: Partial<DeskRequest> = {}, caller: DeskCaller = somebody) =>
      desk.open({ ...plainRequest, messages, ...more }, caller),
    async close() {
      await desk.close();
      await engine.close();
      await spawner.close();
      rmSync(directory, { recursive: true });
    },
  };
}

async function* callTools(
  { offered }: LaneRequest,
  rounds: readonly (readonly string[])[],
  signal: AbortSignal,
): AsyncGenerator<readonly AgentEvent[]> {
  const heard: string[] = [];
  for (const names of rounds) {
    for (const name of names) offered?.noteMention({ name: "read", input: { name } });
    const results = await Promise.all(names.map((name) => offered?.call({ name: "read", input: { name } }, signal)));
    heard.push(...names.map((name, index) => `${name}=${results[index]?.text}`));
  }
  if (signal.aborted) yield [{ type: "turn-end", outcome: { kind: "cancelled" } }];
  else yield [...says(heard.join(" "), "b3"), { type: "turn-end", outcome: { kind: "completed" } }];
}

export type DeskBench = ReturnType<typeof createDeskBench>;

export const somebody: DeskCaller = { tokenName: "default", workspace: undefined };

const plainRequest: DeskRequest = {
  system: "Be brief.",
  tools: [{ name: "read", inputSchema: {} }],
  unavailableTools: [],
  toolChoice: "auto",
  messages: [],
  wish: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
  sessionKey: "key",
  workspace: undefined,
  owner: "agent",
};

const failed = { kind: "failed", error: new CaretError("usage-limit", "No more today").toInfo() } as const;

export const user = (text: string): TranscriptMessage => ({ role: "user", parts: [{ kind: "text", text }] });
export const answer = (text: string): TranscriptMessage => ({ role: "assistant", text, calls: [] });

function says(text: string, blockId = "b1"): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text },
    { type: "text-end", blockId },
  ];
}

/** Follows a turn to its end, as a client does, and gives its text. */
export async function read(turn: DeskTurn, signal: AbortSignal = new AbortController().signal): Promise<string> {
  let text = "";
  for await (const batch of turn.follow(signal))
    for (const event of batch) if (event.type === "text-delta") text += event.text;
  return text;
}
