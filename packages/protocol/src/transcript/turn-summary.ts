import type { AgentEvent, LaneName, Todo, TurnOutcome } from "../events/agent-event.ts";
import type { Usage } from "../usage/usage.ts";
import type { Notice, ToolActivity, TranscriptItem, TranscriptTurn } from "./transcript.ts";
import { TurnFold } from "./turn-fold.ts";

/** Number of distinct labels of unknown events to list; the rest are counted together. */
const MAX_UNKNOWN_LABELS = 16;
const OTHER_LABELS = "other";

/** Summary of a turn so far, read off its transcript. */
export interface TurnSummary {
  readonly turnId: string | undefined;
  readonly lane: LaneName | undefined;
  /** Upstream's session id and its name for the model. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  /** One entry per text block. Shown to people with a blank line between; concatenated, they are the whole text. */
  readonly segments: readonly string[];
  /** One entry per thinking block. */
  readonly thinking: readonly string[];
  readonly tools: readonly ToolActivity[];
  readonly todos: readonly Todo[];
  /** Text of the latest plan. */
  readonly plan: string | undefined;
  readonly usage: Usage | undefined;
  readonly notices: readonly Notice[];
  /** Number of unknown events, by label. */
  readonly unknown: Readonly<Record<string, number>>;
  readonly outcome: TurnOutcome | undefined;
}

export function summaryOf({ start, ready, usage, outcome, items }: TranscriptTurn): TurnSummary {
  const of = <Found>(read: (item: TranscriptItem) => Found | undefined): readonly Found[] =>
    items.map(read).filter((found) => found !== undefined);
  return {
    turnId: start?.turnId,
    lane: start?.lane,
    sessionId: ready?.sessionId,
    model: ready?.model ?? start?.model,
    segments: of((item) => (item.kind === "text" ? item.text : undefined)),
    thinking: of((item) => (item.kind === "thinking" ? item.text : undefined)),
    tools: toolsOf({ items }),
    todos: todosOf({ items }),
    plan: items.findLast((item) => item.kind === "plan")?.plan.text,
    usage,
    notices: of((item) => (item.kind === "notice" ? item.notice : undefined)),
    unknown: unknownLabels(items),
    outcome,
  };
}

/** Summarises a turn given only its events. */
export function summariseEvents(events: readonly AgentEvent[]): TurnSummary {
  const fold = new TurnFold();
  for (const event of events) fold.add(event);
  return summaryOf(fold.turn);
}

/** The turn's answer: its text blocks and plans, in the order shown. */
export function answerParts({ items }: Pick<TranscriptTurn, "items">): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind === "text") return [item.text];
    return item.kind === "plan" ? [item.plan.text] : [];
  });
}

export function toolsOf({ items }: Pick<TranscriptTurn, "items">): readonly ToolActivity[] {
  return items.flatMap((item) => (item.kind === "tool" ? [item.tool] : []));
}

/** The current to-do list. */
export function todosOf({ items }: Pick<TranscriptTurn, "items">): readonly Todo[] {
  return items.findLast((item) => item.kind === "todos")?.items ?? [];
}

export function unknownCount({ unknown }: Pick<TurnSummary, "unknown">): number {
  return Object.values(unknown).reduce((sum, count) => sum + count, 0);
}

function unknownLabels(items: readonly TranscriptItem[]): TurnSummary["unknown"] {
  const counts = new Map<string, number>();
  for (const item of items) {
    if (item.kind !== "unknown") continue;
    const label = counts.has(item.label) || counts.size < MAX_UNKNOWN_LABELS ? item.label : OTHER_LABELS;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  // A label can be `__proto__`: `fromEntries` makes it an own property.
  return Object.fromEntries(counts);
}
