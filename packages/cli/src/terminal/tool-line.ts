import { isAbsolute } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type FileDiff, mainArgument, type ToolActivity } from "@caret/protocol";
import { wayInside } from "@caret/runtime";
import { durationText } from "./amount-text.ts";
import type { Look } from "./look.ts";
import { displayWidth, shortenEnd, shortenMiddle } from "./shorten.ts";
import { cleanLine } from "./text-cleaner.ts";

/** Above this many line pairs the changed middle counts as replaced, so a huge file cannot stall us. */
const MAX_PAIRS = 4_000_000;

const MAX_NAME = 32;

interface ToolLineOptions extends Look {
  readonly columns: number;
  readonly workspace?: string | undefined;
  /** Nesting depth of the call. */
  readonly depth?: number;
}

/** One settled call on one line: outcome, kind, name, subject, result, duration. */
export function toolLine(tool: ToolActivity, options: ToolLineOptions): string {
  const { columns, glyphs, style, workspace, depth = 0 } = options;
  const indent = "  ".repeat(Math.min(depth, 4));
  const name = shortenMiddle(toolName(tool), MAX_NAME, glyphs.ellipsis);
  const head = `${indent}${outcomeMark(tool.status, options)} ${style.dim(glyphs.tools[tool.kind])} ${name}`;
  const details = detailsOf(tool, options).map((detail) => `${style.dim(` ${glyphs.separator}`)} ${detail}`);
  const room = columns - 2 - shownWidth(head) - shownWidth(details.join(""));
  const argument = shortenMiddle(shownArgument(tool, workspace), Math.max(8, room), glyphs.ellipsis);
  return [head, argument === "" ? "" : ` ${style.cyan(argument)}`, ...details].join("");
}

export function toolName({ name, server }: Pick<ToolActivity, "name" | "server">): string {
  return cleanLine(server === undefined ? name : `${server}/${name}`);
}

function outcomeMark(status: ToolActivity["status"], { glyphs, style }: Look): string {
  if (status === "ok") return style.green(glyphs.ok);
  return status === "error" ? style.red(glyphs.failed) : style.yellow(glyphs.stopped);
}

function detailsOf(tool: ToolActivity, { columns, glyphs, style }: ToolLineOptions): readonly string[] {
  const { status, diff, durationMs } = tool;
  const counts = diff === undefined ? undefined : editCounts(diff);
  const reason = status === "ok" ? "" : reasonOf(tool);
  return [
    counts === undefined ? "" : `${style.green(`+${counts.added}`)} ${style.red(`${glyphs.minus}${counts.removed}`)}`,
    style.dim(shortenEnd(reason, Math.floor(columns / 3), glyphs.ellipsis)),
    durationMs === undefined ? "" : style.dim(durationText(durationMs)),
  ].filter((detail) => detail !== "");
}

/** Why a call did not succeed, in a few words. */
function reasonOf({ status, notRun, exitCode, output }: ToolActivity): string {
  if (notRun === true) return "not run";
  if (status === "interrupted") return "interrupted";
  if (status === "error" && exitCode !== undefined) return `exit ${exitCode}`;
  // The approval line that follows gives the reason.
  if (status === "rejected" && /^\S+ was not run/.test(output)) return "not run";
  const firstLine = output.trim().split("\n", 1)[0] ?? "";
  return cleanLine(firstLine) || status;
}

function shownWidth(text: string): number {
  return displayWidth(stripVTControlCharacters(text));
}

/** A call's subject, on one line without control characters. Paths inside the workspace are relative to it. */
export function shownArgument(call: Pick<ToolActivity, "kind" | "input">, workspace?: string): string {
  return cleanLine(fromWorkspace(mainArgument(call), workspace));
}

function fromWorkspace(text: string, workspace: string | undefined): string {
  if (workspace === undefined || !isAbsolute(text)) return text;
  const way = wayInside(workspace, text);
  return way === undefined ? text : way || ".";
}

interface EditCounts {
  readonly added: number;
  readonly removed: number;
}

/** Lines an edit added and removed. Counted from the contents if known: agents' diffs miscount. */
export function editCounts({ before, after, unified }: FileDiff): EditCounts | undefined {
  if (after !== undefined && (before !== undefined || unified === undefined)) return countLines(before ?? "", after);
  if (unified !== undefined) return countUnified(unified);
  return before === undefined ? undefined : countLines(before, "");
}

function countUnified(unified: string): EditCounts {
  const body = unified.split("\n").filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const starting = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  return { added: starting("+"), removed: starting("-") };
}

function countLines(before: string, after: string): EditCounts {
  const old = toLines(before);
  const now = toLines(after);
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const oldMiddle = old.slice(head, old.length - tail);
  const newMiddle = now.slice(head, now.length - tail);
  const kept = oldMiddle.length * newMiddle.length > MAX_PAIRS ? 0 : commonLines(oldMiddle, newMiddle);
  return { added: newMiddle.length - kept, removed: oldMiddle.length - kept };
}

/** Length of the longest common subsequence. */
function commonLines(old: readonly string[], now: readonly string[]): number {
  let previous = new Uint32Array(now.length + 1);
  for (const line of old) {
    const lengths = new Uint32Array(now.length + 1);
    for (const [index, other] of now.entries()) {
      const longest = Math.max(previous[index + 1] ?? 0, lengths[index] ?? 0);
      lengths[index + 1] = line === other ? (previous[index] ?? 0) + 1 : longest;
    }
    previous = lengths;
  }
  return previous.at(-1) ?? 0;
}

function toLines(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
