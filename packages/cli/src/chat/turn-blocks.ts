import { costOf, summaryOf, type TranscriptItem, type TranscriptTurn, turnTimes } from "@caret/protocol";
import { closingLines } from "../terminal/closing-lines.ts";
import { startLine } from "../terminal/start-line.ts";
import { cleanText } from "../terminal/text-cleaner.ts";
import { fitLines } from "./fit-lines.ts";
import { type ItemLook, itemLines } from "./item-lines.ts";

/** Lines that belong together, and the event they follow in the log. */
export interface Block {
  readonly seq: number;
  readonly lines: readonly string[];
}

/** Items of one group follow each other without a blank line. */
const groups: Readonly<Record<TranscriptItem["kind"], string>> = {
  text: "text",
  thinking: "thinking",
  tool: "tools",
  todos: "todos",
  plan: "plan",
  question: "asked",
  approval: "tools",
  notice: "notes",
  unknown: "notes",
};

/** A turn from its prompt to its end. `before` is the turn above: whatever is unchanged is not repeated. */
export function turnBlocks(turn: TranscriptTurn, look: ItemLook, before?: TranscriptTurn): readonly Block[] {
  const inside = { ...look, workspace: turn.start?.workspace ?? turn.ready?.workspace ?? look.workspace };
  return [headBlock(turn, inside, before), ...itemBlocks(turn, inside), ...endBlocks(turn, inside)];
}

function headBlock({ start, firstSeq }: TranscriptTurn, look: ItemLook, before: TranscriptTurn | undefined): Block {
  const { style, columns } = look;
  const prompt = cleanText(start?.prompt ?? "").trim();
  const asked = fitLines(prompt.split("\n"), columns - 2).map((line, index) =>
    index === 0 ? `${style.cyan(">")} ${style.bold(line)}` : `  ${style.bold(line)}`,
  );
  const isSame = before?.start?.lane === start?.lane && before?.start?.model === start?.model;
  const lane = start === undefined || (isSame && start.lane !== "sim") ? [] : [startLine(start, look)];
  return { seq: firstSeq, lines: ["", ...(prompt === "" ? [] : asked), ...fitLines(lane, columns)] };
}

function itemBlocks({ items, outcome }: TranscriptTurn, look: ItemLook): readonly Block[] {
  const hasPlan = items.some(({ kind }) => kind === "plan");
  const lastTodos = items.findLastIndex(({ kind }) => kind === "todos");
  const depths = new Map<string, number>();
  let group = "";
  return items.flatMap((item, index) => {
    if (item.kind === "todos" && index !== lastTodos) return [];
    // Only the plan itself is shown, whatever became of the call that made it.
    if (item.kind === "tool" && item.tool.kind === "plan" && hasPlan) return [];
    const lines = itemLines(item, { ...look, isOver: outcome !== undefined }, depthOf(item, depths));
    if (lines.length === 0) return [];
    const isApart = groups[item.kind] !== group || item.kind === "text";
    group = groups[item.kind];
    return [{ seq: item.seq, lines: isApart ? ["", ...lines] : lines }];
  });
}

/** Number of ancestor calls. */
function depthOf(item: TranscriptItem, depths: Map<string, number>): number {
  if (item.kind !== "tool") return 0;
  const depth = item.parentCallId === undefined ? 0 : (depths.get(item.parentCallId) ?? 0) + 1;
  depths.set(item.tool.callId, depth);
  return depth;
}

function endBlocks(turn: TranscriptTurn, look: ItemLook): readonly Block[] {
  const { outcome, lastSeq, start } = turn;
  if (outcome === undefined) return [];
  const summary = summaryOf(turn);
  const { usage, model } = summary;
  const priced = [start?.model, model].filter((name) => name !== undefined);
  const cost = usage && priced.map((name) => costOf(usage, name)).find((amount) => amount !== undefined);
  const { workedMs: durationMs } = turnTimes(turn);
  const closing = { ...look, turn: summary, outcome, durationMs, cost, sessionId: undefined };
  return [{ seq: lastSeq, lines: ["", ...fitLines(closingLines(closing), look.columns)] }];
}
