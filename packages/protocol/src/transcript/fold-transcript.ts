import type { EventEnvelope } from "../api/session-view.ts";
import { assertNever } from "../assert-never.ts";
import type { AgentEvent, AgentEventOf, Todo } from "../events/agent-event.ts";
import type { Transcript, TranscriptItem, TranscriptTurn } from "./transcript.ts";
import type { ToolActivity } from "./turn-summary.ts";

type ItemOf<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { readonly kind: Kind }>;
type BlockKind = "text" | "thinking";

/** One turn while a batch is folded into it. It has arrays of its own; what is in them is replaced, never changed. */
interface Draft {
  turn: TranscriptTurn;
  readonly items: TranscriptItem[];
  /** Where the open block is, or -1: only one is open at a time. */
  open: number;
  /** Where the item of a call or request is, made when it is first asked for. */
  places: Map<string, number> | undefined;
}

/**
 * Fold a batch of committed events, in their order, into the transcript. Server, exports and web page all use this.
 *
 * Events whose `seq` is in it already are dropped, and however the events are cut into batches, the same transcript
 * comes out. What a batch does not touch keeps its identity, turns and items alike, so that a page can skip it; what it
 * touches is copied once for the batch, not once for each event.
 */
export function foldTranscript(transcript: Transcript, events: readonly EventEnvelope[]): Transcript {
  const drafts = new Map<string, Draft>();
  const turns: (TranscriptTurn | Draft)[] = [...transcript.turns];
  let lastSeq = transcript.lastSeq;
  for (const envelope of events) {
    if (envelope.seq <= lastSeq) continue;
    lastSeq = envelope.seq;
    const draft = drafts.get(envelope.turnId) ?? takeDraft(turns, envelope);
    drafts.set(envelope.turnId, draft);
    draft.turn = { ...draft.turn, lastSeq, lastAt: envelope.at };
    foldInto(draft, envelope);
  }
  if (lastSeq === transcript.lastSeq) return transcript;
  return { lastSeq, turns: turns.map((turn) => (isDraft(turn) ? { ...turn.turn, items: turn.items } : turn)) };
}

function isDraft(turn: TranscriptTurn | Draft): turn is Draft {
  return "turn" in turn;
}

function takeDraft(turns: (TranscriptTurn | Draft)[], { turnId, seq, at }: EventEnvelope): Draft {
  const index = turns.findLastIndex((turn) => !isDraft(turn) && turn.turnId === turnId);
  const known = turns[index];
  if (known !== undefined && !isDraft(known)) {
    const open = known.items.findLastIndex((item) => isBlock(item) && item.isOpen);
    const draft: Draft = { turn: known, items: [...known.items], open, places: undefined };
    turns[index] = draft;
    return draft;
  }
  const turn: TranscriptTurn = { turnId, firstSeq: seq, lastSeq: seq, startedAt: at, lastAt: at, items: [] };
  const draft: Draft = { turn, items: [], open: -1, places: undefined };
  turns.push(draft);
  return draft;
}

function foldInto(draft: Draft, { seq, at, event }: EventEnvelope): void {
  switch (event.type) {
    case "turn-start":
      draft.turn = { ...draft.turn, start: event };
      return;
    case "session-ready":
      draft.turn = { ...draft.turn, ready: { ...draft.turn.ready, ...event } };
      return;
    case "usage":
      draft.turn = { ...draft.turn, usage: event.usage };
      return;
    case "turn-end":
      draft.turn = { ...draft.turn, outcome: event.outcome };
      return;
    case "text-start":
    case "thinking-start":
      openBlock(draft, emptyBlock(event.type === "text-start" ? "text" : "thinking", seq, at));
      return;
    case "text-delta":
    case "thinking-delta":
      growBlock(draft, event, seq, at);
      return;
    case "text-end":
    case "thinking-end":
      closeBlock(draft, event, at);
      return;
    default:
      foldItem(draft, event, seq, at);
  }
}

type BlockEvent = AgentEventOf<`${BlockKind}-${"start" | "delta" | "end"}`>;
type ItemEvent = Exclude<AgentEvent, BlockEvent | AgentEventOf<"turn-start" | "session-ready" | "usage" | "turn-end">>;

function foldItem(draft: Draft, event: ItemEvent, seq: number, at: number): void {
  switch (event.type) {
    case "tool-call":
      return add(draft, event.callId, startTool(event, seq, at));
    case "tool-output":
    case "tool-result":
      return changeTool(draft, event);
    case "question":
      return add(draft, event.requestId, { kind: "question", seq, at, question: event });
    case "approval-request":
      changeClock(draft, event.callId, (item) => ({ ...item, isAsked: true }));
      return add(draft, event.requestId, { kind: "approval", seq, at, request: event });
    case "question-answer":
    case "approval-answer":
      return answer(draft, event, at);
    case "todos":
      return add(draft, undefined, { kind: "todos", seq, items: todosAfter(draft.items, event) });
    case "plan":
      return add(draft, undefined, { kind: "plan", seq, plan: event });
    case "notice": {
      const { type, ...notice } = event;
      return add(draft, undefined, { kind: "notice", seq, notice });
    }
    case "unknown":
      return add(draft, undefined, { kind: "unknown", seq, label: event.label, value: event.value });
    default:
      return assertNever(event);
  }
}

function add(draft: Draft, id: string | undefined, item: TranscriptItem): void {
  draft.items.push(item);
  if (id !== undefined) draft.places?.set(placeName(item.kind, id), draft.items.length - 1);
}

/** A call's id and a request's id may be the same word: the kind keeps them apart. */
function placeName(kind: TranscriptItem["kind"], id: string): string {
  return `${kind} ${id}`;
}

function placeOf(draft: Draft, kind: "tool" | "question" | "approval", id: string): number {
  draft.places ??= placesOf(draft.items);
  return draft.places.get(placeName(kind, id)) ?? -1;
}

function placesOf(items: readonly TranscriptItem[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    if (item.kind === "tool") places.set(placeName(item.kind, item.tool.callId), index);
    if (item.kind === "question") places.set(placeName(item.kind, item.question.requestId), index);
    if (item.kind === "approval") places.set(placeName(item.kind, item.request.requestId), index);
  }
  return places;
}

function isBlock(item: TranscriptItem): item is ItemOf<BlockKind> {
  return item.kind === "text" || item.kind === "thinking";
}

function emptyBlock(kind: BlockKind, seq: number, at: number): ItemOf<BlockKind> {
  return kind === "text" ? { kind, seq, text: "", isOpen: true } : { kind, seq, text: "", isOpen: true, startedAt: at };
}

function openBlock(draft: Draft, block: ItemOf<BlockKind>): void {
  draft.open = draft.items.push(block) - 1;
}

function growBlock(draft: Draft, event: AgentEventOf<"text-delta" | "thinking-delta">, seq: number, at: number): void {
  const kind = event.type === "text-delta" ? "text" : "thinking";
  const block = draft.items[draft.open];
  if (block?.kind === kind) draft.items[draft.open] = { ...block, text: block.text + event.text };
  else openBlock(draft, { ...emptyBlock(kind, seq, at), text: event.text, isTail: true });
}

function closeBlock(draft: Draft, event: AgentEventOf<"text-end" | "thinking-end">, at: number): void {
  const block = draft.items[draft.open];
  if (event.type === "text-end" && block?.kind === "text") draft.items[draft.open] = { ...block, isOpen: false };
  if (event.type === "thinking-end" && block?.kind === "thinking")
    draft.items[draft.open] = { ...block, isOpen: false, ...durationOf(block, event, at) };
  draft.open = -1;
}

/** The lane's own measure, else the time between the two events, when both were seen. */
function durationOf(
  block: ItemOf<"thinking">,
  event: AgentEventOf<"thinking-end">,
  at: number,
): { readonly durationMs?: number } {
  if (event.durationMs !== undefined) return { durationMs: event.durationMs };
  return block.isTail ? {} : { durationMs: at - block.startedAt };
}

function startTool(event: AgentEventOf<"tool-call">, seq: number, at: number): ItemOf<"tool"> {
  const { type, description, parentCallId, ...call } = event;
  return {
    kind: "tool",
    seq,
    startedAt: at,
    tool: { ...call, status: "running", output: "" } as ToolActivity,
    ...(description !== undefined && { description }),
    ...(parentCallId !== undefined && { parentCallId }),
  };
}

function changeTool(draft: Draft, event: AgentEventOf<"tool-output" | "tool-result">): void {
  const index = placeOf(draft, "tool", event.callId);
  const item = draft.items[index];
  if (item?.kind !== "tool") return;
  const { type, ...change } = event;
  const tool =
    "text" in change ? { ...item.tool, output: item.tool.output + change.text } : { ...item.tool, ...change };
  draft.items[index] = { ...item, tool: tool as ToolActivity };
}

function answer(draft: Draft, event: AgentEventOf<"question-answer" | "approval-answer">, at: number): void {
  const index = placeOf(draft, event.type === "question-answer" ? "question" : "approval", event.requestId);
  const item = draft.items[index];
  if (item?.kind === "question" && event.type === "question-answer")
    draft.items[index] = { ...item, answer: event, answeredAt: at };
  if (item?.kind === "approval" && event.type === "approval-answer") {
    draft.items[index] = { ...item, answer: event, answeredAt: at };
    changeClock(draft, item.request.callId, ({ isAsked, ...tool }) => ({ ...tool, startedAt: at }));
  }
}

/** The wait for a person is not counted as running. */
function changeClock(draft: Draft, callId: string | undefined, change: (item: ItemOf<"tool">) => ItemOf<"tool">): void {
  const index = callId === undefined ? -1 : placeOf(draft, "tool", callId);
  const item = draft.items[index];
  if (item?.kind === "tool" && item.tool.status === "running") draft.items[index] = change(item);
}

function todosAfter(items: readonly TranscriptItem[], event: AgentEventOf<"todos">): readonly Todo[] {
  if (!event.merge) return event.items;
  const before = items.findLast((item) => item.kind === "todos")?.items ?? [];
  return [...new Map([...before, ...event.items].map((todo) => [todo.id, todo])).values()];
}
