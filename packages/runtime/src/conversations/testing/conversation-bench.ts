import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, Caller, ConversationRequest, TranscriptMessage, TurnShare } from "@caret/protocol";
import type { Lane, LaneRequest } from "../../lanes/lane.ts";
import { createMemoryEventStore } from "../../log/testing/memory-event-store.ts";
import { onlyWorkspaces } from "../../paths/allowed-workspace.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { openScratchDirectories } from "../../sessions/scratch-directories.ts";
import { withoutMarks } from "../../testing/without-marks.ts";
import { createSessionEngine, type SessionEngineOptions } from "../../turns/create-session-engine.ts";
import { type ConversationsOptions, createConversations } from "../create-conversations.ts";
import { createMemoryLineageStore } from "../matching/testing/memory-lineage-store.ts";
import { type Manner, playTurn } from "./scripted-agent.ts";

/** Conversations over a real engine with a scripted lane, for the tests of the conversations. */
export function createConversationBench(
  changes: Partial<ConversationsOptions> = {},
  engineChanges: Partial<SessionEngineOptions> = {},
  features: Lane["features"] = ["agent-tools", "client-tools", "gateway-tools"],
) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-conversations-")));
  const workspace = join(directory, "project");
  mkdirSync(workspace);
  /** Their prompts without the marks, which differ from prompt to prompt. */
  const asked: LaneRequest[] = [];
  let manner: Manner = "answer";
  let later: readonly Manner[] = [];
  const clock = { now: Date.now() };
  let ids = 0;
  const newId = (): string => `id${++ids}`;

  const runTurn: Lane["runTurn"] = async (request, take, signal) => {
    asked.push({ ...request, prompt: withoutMarks(request.prompt) });
    const upstream = request.upstream ?? { lane: "sim" as const, sessionId: `chat-${request.turnId}` };
    const now = manner;
    [manner = now, ...later] = later;
    for await (const events of playTurn(now, `answer ${asked.length}`, request, signal))
      await take(events.map((event, index) => (index === 0 ? { event, upstream } : { event })));
  };
  const lane: Lane = {
    name: "sim",
    features,
    runTurn,
    canResume: () => true,
    close: () => Promise.resolve(),
  };

  const store = createMemoryEventStore();
  const spawner = createInlineSpawner();
  const scratchRoot = join(directory, "scratch");
  const scratch = openScratchDirectories({ root: scratchRoot, newId, now: () => clock.now });
  const engine = createSessionEngine({
    store,
    lanes: [lane],
    defaultLane: "sim",
    redactor: () => createRedactor({ secrets: [] }),
    allowedWorkspaces: onlyWorkspaces([workspace, scratchRoot]),
    budgets: () => ({ turn: {}, session: {}, day: {} }),
    defaults: { model: "auto", mode: "agent", force: false },
    maxRawBytes: 1024,
    toolbox: { policy: { mode: "auto-edits", rules: [] }, servers: [], spawner, env: {}, outputsDir: directory },
    parkedLimitMs: 1_000,
    newId,
    newCallId: newId,
    wallClock: () => clock.now,
    ...engineChanges,
  });
  const lineage = createMemoryLineageStore();
  const conversations = createConversations({
    engine,
    lineage,
    scratch,
    resolveModel: async ({ model }) => model ?? "auto",
    defaultWorkspace: workspace,
    now: () => clock.now,
    ...changes,
  });

  return {
    conversations,
    engine,
    store,
    lineage,
    scratch,
    scratchRoot,
    workspace,
    clock,
    /** What the lane was asked, in order. */
    asked,
    /** How turns go from now on; `following` are the turns after the next one, the last of them every other. */
    manner(next: Manner, ...following: readonly Manner[]) {
      manner = next;
      later = following;
    },
    open: (
      messages: readonly TranscriptMessage[],
      more: Partial<ConversationRequest> = {},
      caller: Caller = defaultCaller,
    ) => conversations.open({ ...plainRequest, messages, ...more }, caller),
    async close() {
      await conversations.close();
      await engine.close();
      await spawner.close();
      rmSync(directory, { recursive: true });
    },
  };
}

export type ConversationBench = ReturnType<typeof createConversationBench>;

export const defaultCaller: Caller = { tokenName: "default", workspace: undefined };

const plainRequest: ConversationRequest = {
  door: "openai",
  system: "Be brief.",
  tools: [{ name: "read", inputSchema: {} }],
  unavailableTools: [],
  toolChoice: "auto",
  callableTools: undefined,
  parallelCalls: true,
  messages: [],
  requestedModel: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
  sessionKey: "key",
  workspace: undefined,
  owner: "agent",
};

export const user = (text: string): TranscriptMessage => ({ role: "user", parts: [{ kind: "text", text }] });
export const answer = (text: string): TranscriptMessage => ({ role: "assistant", text, calls: [] });

export const called = (...callIds: readonly string[]): TranscriptMessage => ({
  role: "assistant",
  text: "",
  calls: callIds.map((callId) => ({ callId, name: "read", input: {} })),
});
export const result = (callId: string, text: string): TranscriptMessage => ({
  role: "tool",
  callId,
  parts: [{ kind: "text", text }],
  isError: false,
});

/** Follows a turn to the end of its answer, as a client does, and returns what it said. */
export async function eventsOf(
  turn: TurnShare,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  await turn.follow((batch) => void events.push(...batch), signal);
  turn.leave(signal.aborted ? "gone" : "answered");
  return events;
}

export const callIdsIn = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "tool-call" && event.owner === "client" ? [event.callId] : []));
export const textIn = (events: readonly AgentEvent[]): string =>
  events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");

/** The same for its text alone. */
export async function read(turn: TurnShare, signal?: AbortSignal): Promise<string> {
  return textIn(await eventsOf(turn, signal));
}
