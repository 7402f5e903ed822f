import { stripVTControlCharacters } from "node:util";
import type { ToolActivity } from "@caret/protocol";
import { durationText } from "./amount-text.ts";
import { displayWidth } from "./display-width.ts";
import { editCounts } from "./edit-counts.ts";
import type { Look } from "./look.ts";
import { shortenEnd, shortenMiddle } from "./shorten.ts";
import { shownArgument } from "./shown-argument.ts";
import { cleanLine } from "./text-cleaner.ts";

const MAX_NAME = 32;

export interface ToolLineOptions extends Look {
  readonly columns: number;
  readonly workspace?: string | undefined;
  /** How deep below other calls this one was made. */
  readonly depth?: number;
}

/** One settled call on one line: outcome, kind, name, what it was about, what came of it, how long it took. */
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
  const firstLine = output.trim().split("\n", 1)[0] ?? "";
  return cleanLine(firstLine) || status;
}

function shownWidth(text: string): number {
  return displayWidth(stripVTControlCharacters(text));
}
