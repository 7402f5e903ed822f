import { isHeard, type ToolActivity, type TranscriptItem } from "@caret/protocol";
import { durationText } from "../terminal/amount-text.ts";
import { answerLine, approvalLine, questionLines, todoLines } from "../terminal/asked-lines.ts";
import { isFailedCommand, outputLinesOf } from "../terminal/command-output.ts";
import { changeLines } from "../terminal/diff-lines.ts";
import type { Look } from "../terminal/look.ts";
import { displayWidth, shortenMiddle } from "../terminal/shorten.ts";
import { cleanLine, cleanText } from "../terminal/text-cleaner.ts";
import { shownArgument, toolLine, toolName } from "../terminal/tool-line.ts";
import { fitLines } from "./fit-lines.ts";
import { markdownLines } from "./markdown-lines.ts";

export interface ItemLook extends Look {
  readonly columns: number;
  readonly workspace: string | undefined;
  /** Show thinking, output and diffs in full. */
  readonly isExpanded: boolean;
  /** The turn has ended: the agent will not get any steering it has not received. */
  readonly isOver?: boolean;
}

type ItemOf<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { readonly kind: Kind }>;

/** Lines shown until the person asks for everything. */
const LIMITS = { thinking: 4, running: 8, failed: 10, done: 3, diff: 40 };

/** Renders one item of a turn to lines that fit the terminal. Pending asks are shown elsewhere. */
export function itemLines(item: TranscriptItem, look: ItemLook, depth = 0): readonly string[] {
  return fitLines(linesOf(item, look, depth), look.columns);
}

function linesOf(item: TranscriptItem, look: ItemLook, depth: number): readonly string[] {
  switch (item.kind) {
    case "text":
      return markdownLines(item.text, look, look.columns);
    case "thinking":
      return thinkingLines(item, look);
    case "tool":
      return toolLines(item.tool, look, depth);
    case "todos":
      return todoLines(item.items, look);
    case "plan":
      return planLines(item, look);
    case "question":
      return item.answer === undefined
        ? []
        : [...questionLines(item.question, look), answerLine(item.answer, item.question, look)];
    case "approval":
      return decisionLines(item, look);
    case "notice":
      return noticeLines(item, look);
    case "unknown":
      // Counted at the end of the turn.
      return [];
    default:
      return item satisfies never;
  }
}

function thinkingLines(item: ItemOf<"thinking">, { style, glyphs, isExpanded, columns }: ItemLook): readonly string[] {
  const mark = `${glyphs.thinking} `;
  const time = item.durationMs === undefined ? "" : ` for ${durationText(item.durationMs)}`;
  if (!item.isOpen && !isExpanded) return [style.dim(`${mark}thought${time}`)];
  const lines = fitLines(cleanText(item.text).trim().split("\n"), columns - mark.length);
  const shown = isExpanded ? lines : lines.slice(-LIMITS.thinking);
  return shown.map((line) => style.dim(mark + line));
}

function toolLines(tool: ToolActivity, look: ItemLook, depth: number): readonly string[] {
  const { style, glyphs, columns, workspace } = look;
  const head =
    tool.status === "running"
      ? runningLine(tool, look, depth)
      : toolLine(tool, { style, glyphs, columns, workspace, depth });
  return [head, ...outputLines(tool, look), ...diffOf(tool, look)];
}

function runningLine(tool: ToolActivity, { style, glyphs, columns, workspace }: ItemLook, depth: number): string {
  const head = `${"  ".repeat(depth)}${glyphs.arrow} ${glyphs.tools[tool.kind]} ${toolName(tool)} `;
  const room = Math.max(0, columns - displayWidth(head));
  return `${style.cyan(head)}${shortenMiddle(shownArgument(tool, workspace), room, glyphs.ellipsis)}`;
}

/** A command's output: its newest lines while it runs, more of them if it failed. */
function outputLines(tool: ToolActivity, look: ItemLook): readonly string[] {
  const { style, glyphs, isExpanded } = look;
  // Why a call was not run is shown with the call.
  if (tool.status === "rejected") return [];
  if (tool.kind !== "shell" && !(isExpanded && tool.diff === undefined)) return [];
  const lines = outputLinesOf(cleanText(tool.output)).filter((line) => line !== "");
  const state = tool.status === "running" ? "running" : isFailedCommand(tool) ? "failed" : "done";
  const shown = isExpanded ? lines : lines.slice(-LIMITS[state]);
  const quoted = shown.map((line) => style.dim(`  ${glyphs.quote} ${line}`));
  return [...leftOut(lines.length - shown.length, look), ...quoted];
}

function diffOf({ diff, status }: ToolActivity, { isExpanded, ...rest }: ItemLook): readonly string[] {
  if (diff === undefined || status !== "ok") return [];
  const lines = changeLines(diff, rest).filter((line) => line.trim() !== "");
  const shown = isExpanded ? lines : lines.slice(0, LIMITS.diff);
  return [...shown, ...leftOut(lines.length - shown.length, rest)];
}

function leftOut(count: number, { style, glyphs }: Look): readonly string[] {
  if (count <= 0) return [];
  return [style.dim(`  ${glyphs.quote} ${glyphs.ellipsis} ${count} more ${count === 1 ? "line" : "lines"}: Ctrl-O`)];
}

function planLines({ plan: { name, overview, text } }: ItemOf<"plan">, look: ItemLook): readonly string[] {
  const { style, glyphs, columns } = look;
  const title = name === undefined ? "Plan" : `Plan: ${cleanLine(name)}`;
  const body = markdownLines([overview ?? "", text].join("\n\n"), look, columns - 2);
  return [`${glyphs.tools.plan} ${style.bold(title)}`, ...body.map((line) => `  ${line}`)];
}

/** Approvals by the policy or by the agent itself are not worth showing. */
function decisionLines({ request, answer }: ItemOf<"approval">, look: ItemLook): readonly string[] {
  if (answer === undefined) return [];
  const isRoutine = answer.decision === "approved" && (answer.by === "policy" || answer.by === "agent");
  if (isRoutine) return [];
  const about = shownArgument({ kind: request.kind ?? "other", input: request.input }, look.workspace);
  // The call itself is shown in full above.
  const subject = shortenMiddle(`${request.subject} ${about}`, Math.floor(look.columns / 2), look.glyphs.ellipsis);
  return [approvalLine(answer, subject, look)];
}

function noticeLines({ notice }: ItemOf<"notice">, { style, glyphs, isOver = false }: ItemLook): readonly string[] {
  const words = cleanText(notice.message).trim().split("\n");
  if (notice.kind !== "steer") {
    const paint = notice.kind === "error" ? style.yellow : style.dim;
    return words.map((line, index) => paint(`${index === 0 ? glyphs.notice : " "} ${line}`));
  }
  const unheard = isOver ? "not heard: the turn has ended" : "sent: the agent gets it with its next result";
  const state = isHeard(notice) ? "" : style.dim(` (${unheard})`);
  return words.map((line, index) => `${style.cyan(">")} ${style.bold(line)}${index === words.length - 1 ? state : ""}`);
}
