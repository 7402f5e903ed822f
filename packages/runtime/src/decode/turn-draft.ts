import {
  type AgentEvent,
  type AgentEventOf,
  type Delta,
  isDelta,
  isSameBlock,
  type TurnOutcome,
  type Usage,
} from "@caret/protocol";
import type { ShownPlan } from "./plan-events.ts";

/**
 * A turn's memory of rare events. Grouped in one field because each step copies the state, and for text, which is nearly everything, every
 * further field costs.
 */
interface TurnMemory {
  readonly plans: readonly ShownPlan[];
  /** Reported per step by some versions; the result's own count overrides the sum. */
  readonly stepUsage: Usage | undefined;
  /** The last error event: why the turn failed if no result follows. */
  readonly lastError: string | undefined;
  readonly unnamedCalls: number;
  /** Calls that queries were about, by query id. */
  readonly queriedCalls: ReadonlyMap<string, string>;
  /** Queries whose answer did not state a decision, by the call that will show it. */
  readonly unclearQueries: ReadonlyMap<string, string>;
}

const emptyMemory: TurnMemory = {
  plans: [],
  stepUsage: undefined,
  lastError: undefined,
  unnamedCalls: 0,
  queriedCalls: new Map(),
  unclearQueries: new Map(),
};

export function remember(draft: { memory: TurnMemory }, changes: Partial<TurnMemory>): void {
  draft.memory = { ...draft.memory, ...changes };
}

/** Creates an id for a call without one. */
export function nameCall(draft: { memory: TurnMemory }): string {
  const unnamedCalls = draft.memory.unnamedCalls + 1;
  remember(draft, { unnamedCalls });
  return `unnamed-${unnamedCalls}`;
}

/** Settled calls remembered, to recognise a repeated completion. */
const MAX_SETTLED = 1024;
const MAX_NOISE_LENGTH = 2_000;

/** A dialect's state of the turn it is writing. Plain data; a step works on a copy. */
export interface TurnState {
  readonly block: { readonly kind: "text" | "thinking"; readonly blockId: string } | undefined;
  readonly blockCount: number;
  /** Calls that started and have no result yet, with what their start said. */
  readonly openCalls: ReadonlyMap<string, ToolCallEvent>;
  readonly settledCalls: readonly string[];
  readonly memory: TurnMemory;
  readonly ended: boolean;
  /** Whether a delta is joined to the preceding event if that is of the same step and block. */
  readonly joinsDeltas: boolean;
  /** Events emitted by the step that made this state. Part of the state only because removing them costs a copy. */
  readonly events: readonly AgentEvent[];
}

export type ToolCallEvent = AgentEventOf<"tool-call">;
export type ToolResultEvent = AgentEventOf<"tool-result">;

export const initialTurn: TurnState = {
  block: undefined,
  blockCount: 0,
  openCalls: new Map(),
  settledCalls: [],
  memory: emptyMemory,
  ended: false,
  joinsDeltas: false,
  events: [],
};

/** One step's private copy of a state, with the step's events. Never shared, so steps stay pure. */
export type Draft<State extends TurnState> = { -readonly [Key in Exclude<keyof State, "events">]: State[Key] } & {
  readonly events: AgentEvent[];
};

export function openDraft<State extends TurnState>(state: State): Draft<State> {
  return { ...state, events: [] } as Draft<State>;
}

export function closeDraft<State extends TurnState>(draft: Draft<State>): readonly [State, readonly AgentEvent[]] {
  return [draft as unknown as State, draft.events];
}

type AnyDraft = Draft<TurnState>;

export function writeText(draft: AnyDraft, text: string): void {
  writeDelta(draft, { type: "text-delta", blockId: openBlock(draft, "text"), text });
}

export function writeThinking(draft: AnyDraft, text: string): void {
  writeDelta(draft, { type: "thinking-delta", blockId: openBlock(draft, "thinking"), text });
}

function writeDelta({ events, joinsDeltas }: AnyDraft, delta: Delta): void {
  const last = joinsDeltas ? events.at(-1) : undefined;
  if (last !== undefined && isDelta(last) && isSameBlock(last, delta))
    events[events.length - 1] = { ...delta, text: last.text + delta.text };
  else events.push(delta);
}

export function closeBlock(draft: AnyDraft, durationMs?: number): void {
  if (draft.block === undefined) return;
  const { kind, blockId } = draft.block;
  const took = kind === "thinking" && durationMs !== undefined ? { durationMs } : {};
  draft.events.push(kind === "text" ? { type: "text-end", blockId } : { type: "thinking-end", blockId, ...took });
  draft.block = undefined;
}

/** Starts a call unless it is already known. Returns whether it is new. */
export function startCall(draft: AnyDraft, call: ToolCallEvent): boolean {
  if (isKnownCall(draft, call.callId)) return false;
  draft.openCalls = new Map(draft.openCalls).set(call.callId, call);
  draft.events.push(call);
  return true;
}

export function settleCall(draft: AnyDraft, result: ToolResultEvent): void {
  const open = new Map(draft.openCalls);
  if (!open.delete(result.callId)) return;
  draft.openCalls = open;
  draft.settledCalls = [...draft.settledCalls, result.callId].slice(-MAX_SETTLED);
  draft.events.push(result);
}

export function isKnownCall(draft: Readonly<TurnState>, callId: string): boolean {
  return draft.openCalls.has(callId) || draft.settledCalls.includes(callId);
}

/** Keeps what we do not understand, counted under a label. */
export function keepUnknown(draft: AnyDraft, source: string, label: string, value: unknown): void {
  const kept = typeof value === "string" ? value.slice(0, MAX_NOISE_LENGTH) : value;
  draft.events.push({ type: "unknown", source, label, value: kept });
}

/** Closes everything and ends the turn: calls without a result are interrupted, never left hanging. */
export function endTurn(draft: AnyDraft, outcome: TurnOutcome, usage?: Usage): void {
  closeBlock(draft);
  for (const callId of draft.openCalls.keys())
    settleCall(draft, {
      type: "tool-result",
      callId,
      status: "interrupted",
      output: "The turn ended before this call had a result.",
    });
  if (usage !== undefined) draft.events.push({ type: "usage", usage });
  draft.events.push({ type: "turn-end", outcome });
  draft.ended = true;
}

function openBlock(draft: AnyDraft, kind: "text" | "thinking"): string {
  if (draft.block?.kind === kind) return draft.block.blockId;
  closeBlock(draft);
  draft.blockCount += 1;
  const blockId = `${kind}-${draft.blockCount}`;
  draft.block = { kind, blockId };
  draft.events.push({ type: `${kind}-start`, blockId });
  return blockId;
}
