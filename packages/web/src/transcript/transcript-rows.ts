import type { Transcript, TranscriptItem, TranscriptTurn } from "@caret/protocol";
import { foldExplored } from "./fold-explored.ts";
import { joinReconnects } from "./join-reconnects.ts";

export type ItemOf<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { readonly kind: Kind }>;

export interface ItemRow {
  readonly kind: "item";
  readonly key: string;
  readonly item: TranscriptItem;
  /** The turn has ended: nothing of it can be answered any more, and nothing runs. */
  readonly isOver: boolean;
  /** A later item of the turn replaces it. */
  readonly isOutdated: boolean;
  /** Of the approvals that wait, the one the keyboard decides. */
  readonly isNext: boolean;
  /** What a task did, as far as upstream reported it. */
  readonly steps: readonly ItemOf<"tool">[];
}

/** Reads and searches that came one after the other, in one row. */
export interface ExploredRow {
  readonly kind: "explored";
  readonly key: string;
  readonly items: readonly ItemOf<"tool">[];
  readonly isOver: boolean;
}

/** What the list shows one below the other. A turn is its prompt, its items and its end. */
export type TranscriptRow =
  | { readonly kind: "prompt"; readonly key: string; readonly turn: TranscriptTurn }
  | ItemRow
  | ExploredRow
  | { readonly kind: "end"; readonly key: string; readonly turn: TranscriptTurn };

const noSteps: readonly ItemOf<"tool">[] = [];
const known = new WeakMap<TranscriptTurn, readonly TranscriptRow[]>();

/** All rows, oldest first. Rows of a turn that did not change are the same objects as before. */
export function toRows({ turns }: Transcript): readonly TranscriptRow[] {
  return turns.flatMap(rowsOf);
}

/** Whether a row would look the same: then it is not drawn again. */
export function isSameRow(before: ItemRow, after: ItemRow): boolean {
  return (
    before.item === after.item &&
    before.isOver === after.isOver &&
    before.isOutdated === after.isOutdated &&
    before.isNext === after.isNext &&
    before.steps.length === after.steps.length &&
    before.steps.every((step, index) => step === after.steps[index])
  );
}

/** The same for reads and searches that are folded. */
export function isSameExplored(before: ExploredRow, after: ExploredRow): boolean {
  return (
    before.isOver === after.isOver &&
    before.items.length === after.items.length &&
    before.items.every((item, index) => item === after.items[index])
  );
}

function rowsOf(turn: TranscriptTurn): readonly TranscriptRow[] {
  const before = known.get(turn);
  if (before !== undefined) return before;
  const index = indexOf(turn);
  const shown = inReadingOrder(joinReconnects(turn.items), index).filter((item) => isShown(item, index));
  const rows: TranscriptRow[] = [{ kind: "prompt", key: `${turn.turnId} prompt`, turn }];
  rows.push(...foldExplored(shown.map((item) => toRow(item, turn, index))));
  if (turn.outcome !== undefined) rows.push({ kind: "end", key: `${turn.turnId} end`, turn });
  known.set(turn, rows);
  return rows;
}

/** What was decided about a call stands before the call: it came of that. */
function inReadingOrder(items: readonly TranscriptItem[], { decided }: TurnIndex): readonly TranscriptItem[] {
  if (decided.size === 0) return items;
  const moved = new Set([...decided.values()].flat());
  return items.flatMap((item): readonly TranscriptItem[] => {
    if (item.kind === "tool") return [...(decided.get(item.tool.callId) ?? []), item];
    return moved.has(item as ItemOf<"approval">) ? [] : [item];
  });
}

/** The decisions about calls that the turn has, by call. */
function decisionsByCall(
  items: readonly TranscriptItem[],
  calls: ReadonlySet<string>,
): ReadonlyMap<string, ItemOf<"approval">[]> {
  const decided = new Map<string, ItemOf<"approval">[]>();
  for (const item of items) {
    if (item.kind !== "approval" || item.answer === undefined) continue;
    const { callId } = item.request;
    if (callId !== undefined && calls.has(callId)) decided.set(callId, [...(decided.get(callId) ?? []), item]);
  }
  return decided;
}

/** What must be known of the whole turn to show one item of it; made in one pass. */
interface TurnIndex {
  readonly steps: ReadonlyMap<string, readonly ItemOf<"tool">[]>;
  readonly calls: ReadonlySet<string>;
  /** Calls that have an item of their own kind beside them: a question, a plan, an approval that is waited for. */
  readonly withItem: ReadonlySet<string>;
  readonly decided: ReadonlyMap<string, readonly ItemOf<"approval">[]>;
  readonly lastTodos: TranscriptItem | undefined;
  readonly next: TranscriptItem | undefined;
}

/** The approval that has waited longest. */
function nextApproval({ items, outcome }: TranscriptTurn): ItemOf<"approval"> | undefined {
  if (outcome !== undefined) return undefined;
  return items.find((item) => item.kind === "approval" && item.answer === undefined) as ItemOf<"approval"> | undefined;
}

function indexOf(turn: TranscriptTurn): TurnIndex {
  const { items, outcome } = turn;
  const tools = items.filter((item) => item.kind === "tool");
  const withItem = items
    .map((item) => callWithItem(item, outcome !== undefined))
    .filter((callId) => callId !== undefined);
  const calls = new Set(tools.map((item) => item.tool.callId));
  return {
    steps: stepsByTask(tools),
    calls,
    decided: decisionsByCall(items, calls),
    withItem: new Set(withItem),
    lastTodos: items.findLast((item) => item.kind === "todos"),
    next: nextApproval(turn),
  };
}

function stepsByTask(tools: readonly ItemOf<"tool">[]): ReadonlyMap<string, readonly ItemOf<"tool">[]> {
  const steps = new Map<string, ItemOf<"tool">[]>();
  for (const item of tools) {
    if (item.parentCallId === undefined) continue;
    const siblings = steps.get(item.parentCallId);
    if (siblings === undefined) steps.set(item.parentCallId, [item]);
    else siblings.push(item);
  }
  return steps;
}

function callWithItem(item: TranscriptItem, isOver: boolean): string | undefined {
  if (item.kind === "question") return item.question.callId;
  if (item.kind === "plan") return item.plan.callId;
  return item.kind === "approval" && item.answer === undefined && !isOver ? item.request.callId : undefined;
}

/** What happens inside a task is shown in the task's card, and what has an item of its own is not a call as well. */
function isShown(item: TranscriptItem, { calls, withItem, lastTodos }: TurnIndex): boolean {
  if (item.kind === "text") return item.text.trim() !== "";
  if (item.kind === "approval") return !isRoutine(item);
  if (item.kind !== "tool") return true;
  if (item.parentCallId !== undefined && calls.has(item.parentCallId)) return false;
  if (item.tool.kind === "todo" && item.tool.status === "ok") return lastTodos === undefined;
  return !withItem.has(item.tool.callId);
}

/** What the policy or the agent itself let through without asking is shown as the call it is. */
function isRoutine({ answer }: ItemOf<"approval">): boolean {
  return answer?.decision === "approved" && (answer.by === "policy" || answer.by === "agent");
}

function toRow(item: TranscriptItem, turn: TranscriptTurn, { steps, lastTodos, next }: TurnIndex): ItemRow {
  return {
    kind: "item",
    key: `${turn.turnId} ${item.seq}`,
    item,
    isOver: turn.outcome !== undefined,
    isNext: item === next,
    isOutdated: item.kind === "todos" && item !== lastTodos,
    steps: item.kind === "tool" ? (steps.get(item.tool.callId) ?? noSteps) : noSteps,
  };
}

/**
 * What the turn said after its last call: its answer. When it ended with a call, what it said before that. A plan is said,
 * and the call that made it is none that stands between.
 */
export function answerOf({ items }: TranscriptTurn): string {
  const said = items.filter((item) => item.kind !== "tool" || item.tool.kind !== "plan");
  const last = said.findLastIndex((item) => item.kind === "text" || item.kind === "plan");
  const lastCall = said.slice(0, last).findLastIndex((item) => item.kind === "tool");
  return said
    .slice(lastCall + 1, last + 1)
    .flatMap((item) => (item.kind === "text" ? [item.text] : item.kind === "plan" ? [item.plan.text] : []))
    .join("\n\n");
}
