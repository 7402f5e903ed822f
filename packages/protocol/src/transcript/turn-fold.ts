import type { AgentEvent, AgentEventOf, Todo } from "../events/agent-event.ts";
import { assertNever } from "../language/assert-never.ts";
import { isHeard, type Notice, type ToolActivity, type TranscriptItem, type TranscriptTurn } from "./transcript.ts";

type ItemOf<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { readonly kind: Kind }>;
type BlockKind = "text" | "thinking";
type BlockEvent = AgentEventOf<`${BlockKind}-${"start" | "delta" | "end"}`>;
type ItemEvent = Exclude<AgentEvent, BlockEvent | AgentEventOf<"turn-start" | "session-ready" | "usage" | "turn-end">>;

const isUnheard = (notice: Notice): boolean => notice.kind === "steer" && !isHeard(notice);

const noTurn: TranscriptTurn = { turnId: "", firstSeq: 0, lastSeq: 0, startedAt: 0, lastAt: 0, items: [] };

/**
 * The one fold: a turn to which events are added. Everything known about a turn (transcript, summary, answer) is read off `turn`. Items are
 * replaced, never mutated, so a turn already read stays as it was; the list of items is copied once between two reads, not once per event.
 */
export class TurnFold {
  #turn: TranscriptTurn;
  #items: TranscriptItem[];
  /** Whether a reader holds the list of items. */
  #isShared = true;
  /** Index of the open block, or -1: only one is open at a time. */
  #open: number;
  /** Item index by call or request, built on first use. */
  #indexes: Map<string, number> | undefined;

  constructor(turn: TranscriptTurn = noTurn) {
    this.#turn = turn;
    this.#items = turn.items as TranscriptItem[];
    this.#open = turn.items.findLastIndex((item) => isBlock(item) && item.isOpen);
  }

  get turn(): TranscriptTurn {
    this.#isShared = true;
    if (this.#turn.items !== this.#items) this.#turn = { ...this.#turn, items: this.#items };
    return this.#turn;
  }

  /** Events outside a log have neither number nor time, so they are counted. */
  add(event: AgentEvent, seq = this.#turn.lastSeq + 1, at = 0): void {
    this.#turn = { ...this.#turn, ...headOf(this.#turn, event), lastSeq: seq, lastAt: at };
    switch (event.type) {
      case "turn-start":
      case "session-ready":
      case "usage":
      case "turn-end":
        return;
      case "text-start":
      case "thinking-start":
        return this.#openBlock(emptyBlock(event.type === "text-start" ? "text" : "thinking", seq, at));
      case "text-delta":
      case "thinking-delta":
        return this.#growBlock(event, seq, at);
      case "text-end":
      case "thinking-end":
        return this.#closeBlock(event, at);
      default:
        return this.#addItemEvent(event, seq, at);
    }
  }

  #addItemEvent(event: ItemEvent, seq: number, at: number): void {
    switch (event.type) {
      case "tool-call":
        return this.#push(startTool(event, seq, at), event.callId);
      case "tool-output":
      case "tool-result":
        return this.#changeTool(event);
      case "question":
        return this.#push({ kind: "question", seq, at, question: event }, event.requestId);
      case "approval-request":
        // What was shown under an id remains what its answer refers to.
        if (this.#indexOf("approval", event.requestId) !== -1) return;
        this.#changeClock(event.callId, (item) => ({ ...item, isAsked: true }));
        return this.#push({ kind: "approval", seq, at, request: event }, event.requestId);
      case "question-answer":
      case "approval-answer":
        return this.#answer(event, at);
      case "todos":
        return this.#push({ kind: "todos", seq, items: todosAfter(this.#items, event) });
      case "plan":
        return this.#push({ kind: "plan", seq, plan: event });
      case "notice": {
        const { type, ...notice } = event;
        return isHeard(notice) ? this.#hear(notice) : this.#push({ kind: "notice", seq, notice });
      }
      case "unknown":
        return this.#push({ kind: "unknown", seq, label: event.label, value: event.value });
      default:
        return assertNever(event);
    }
  }

  #ownItems(): TranscriptItem[] {
    if (this.#isShared) this.#items = [...this.#items];
    this.#isShared = false;
    return this.#items;
  }

  #push(item: TranscriptItem, id?: string): void {
    const index = this.#ownItems().push(item) - 1;
    if (id !== undefined) this.#indexes?.set(indexName(item.kind, id), index);
  }

  #replace(index: number, item: TranscriptItem): void {
    this.#ownItems()[index] = item;
  }

  #indexOf(kind: "tool" | "question" | "approval", id: string): number {
    this.#indexes ??= indexesOf(this.#items);
    return this.#indexes.get(indexName(kind, id)) ?? -1;
  }

  #openBlock(block: ItemOf<BlockKind>): void {
    this.#push(block);
    this.#open = this.#items.length - 1;
  }

  #growBlock(event: AgentEventOf<"text-delta" | "thinking-delta">, seq: number, at: number): void {
    const kind = event.type === "text-delta" ? "text" : "thinking";
    const block = this.#items[this.#open];
    if (block?.kind === kind) this.#replace(this.#open, { ...block, text: block.text + event.text });
    else this.#openBlock({ ...emptyBlock(kind, seq, at), text: event.text, isTail: true });
  }

  #closeBlock(event: AgentEventOf<"text-end" | "thinking-end">, at: number): void {
    const block = this.#items[this.#open];
    if (event.type === "text-end" && block?.kind === "text") this.#replace(this.#open, { ...block, isOpen: false });
    if (event.type === "thinking-end" && block?.kind === "thinking")
      this.#replace(this.#open, { ...block, isOpen: false, ...durationOf(block, event, at) });
    this.#open = -1;
  }

  /** Marks a steering message as received by the agent. */
  #hear(heard: Notice): void {
    const index = this.#items.findIndex(
      (item) => item.kind === "notice" && item.notice.message === heard.message && isUnheard(item.notice),
    );
    const item = this.#items[index];
    if (item?.kind === "notice") this.#replace(index, { ...item, notice: heard });
  }

  #changeTool(event: AgentEventOf<"tool-output" | "tool-result">): void {
    const index = this.#indexOf("tool", event.callId);
    const item = this.#items[index];
    if (item?.kind !== "tool") return;
    const { type, ...change } = event;
    const tool =
      "text" in change ? { ...item.tool, output: item.tool.output + change.text } : { ...item.tool, ...change };
    this.#replace(index, { ...item, tool: tool as ToolActivity });
  }

  #answer(event: AgentEventOf<"question-answer" | "approval-answer">, at: number): void {
    const index = this.#indexOf(event.type === "question-answer" ? "question" : "approval", event.requestId);
    const item = this.#items[index];
    if (item?.kind === "question" && event.type === "question-answer")
      this.#replace(index, { ...item, answer: event, answeredAt: at });
    if (item?.kind === "approval" && event.type === "approval-answer") {
      this.#replace(index, { ...item, answer: event, answeredAt: at });
      this.#changeClock(item.request.callId, ({ isAsked, ...tool }) => ({ ...tool, startedAt: at }));
    }
  }

  /** Time spent waiting for a person does not count as running. */
  #changeClock(callId: string | undefined, change: (item: ItemOf<"tool">) => ItemOf<"tool">): void {
    const index = callId === undefined ? -1 : this.#indexOf("tool", callId);
    const item = this.#items[index];
    if (item?.kind === "tool" && item.tool.status === "running") this.#replace(index, change(item));
  }
}

/** The part of an event that concerns the turn as a whole. */
function headOf(turn: TranscriptTurn, event: AgentEvent): Partial<TranscriptTurn> | undefined {
  switch (event.type) {
    case "turn-start":
      return { start: event };
    case "session-ready":
      return { ready: { ...turn.ready, ...event } };
    case "usage":
      return { usage: event.usage, ...(event.context === undefined ? {} : { context: event.context }) };
    case "turn-end":
      return { outcome: event.outcome };
    default:
      return undefined;
  }
}

/** A call and a request can have the same id: the kind keeps them apart. */
function indexName(kind: TranscriptItem["kind"], id: string): string {
  return `${kind} ${id}`;
}

function indexesOf(items: readonly TranscriptItem[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    if (item.kind === "tool") indexes.set(indexName(item.kind, item.tool.callId), index);
    if (item.kind === "question") indexes.set(indexName(item.kind, item.question.requestId), index);
    if (item.kind === "approval") indexes.set(indexName(item.kind, item.request.requestId), index);
  }
  return indexes;
}

function isBlock(item: TranscriptItem): item is ItemOf<BlockKind> {
  return item.kind === "text" || item.kind === "thinking";
}

function emptyBlock(kind: BlockKind, seq: number, at: number): ItemOf<BlockKind> {
  return kind === "text" ? { kind, seq, text: "", isOpen: true } : { kind, seq, text: "", isOpen: true, startedAt: at };
}

/** The lane's own measure, else the time between the two events if both were seen. */
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

function todosAfter(items: readonly TranscriptItem[], event: AgentEventOf<"todos">): readonly Todo[] {
  if (!event.merge) return event.items;
  const before = items.findLast((item) => item.kind === "todos")?.items ?? [];
  return [...new Map([...before, ...event.items].map((todo) => [todo.id, todo])).values()];
}
