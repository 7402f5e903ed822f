import { isAbsolute, relative } from "node:path";
import type { ToolActivity } from "@caret/protocol";
import { cleanLine } from "./text-cleaner.ts";

/** Arguments that tell what a call is about, the most telling first; several spellings, for several agents. */
const common = [
  "command",
  "path",
  "filePath",
  "file_path",
  "target_file",
  "pattern",
  "globPattern",
  "glob_pattern",
  "query",
  "searchTerm",
  "search_term",
  "url",
  "uri",
  "description",
  "title",
  "name",
  "prompt",
];
const searching = ["pattern", "globPattern", "glob_pattern", "query", "path", "targetDirectory", "directory"];
const delegating = ["description", "title", "prompt"];

/** The command, path, pattern or address of a call, on one line. Paths inside the workspace are told from there. */
export function tellingArgument({ kind, input }: Pick<ToolActivity, "kind" | "input">, workspace?: string): string {
  if (typeof input !== "object" || input === null) return input === undefined ? "" : cleanLine(String(input));
  const fields = input as Readonly<Record<string, unknown>>;
  const names = kind === "search" ? searching : kind === "task" ? delegating : common;
  const name = names.find((candidate) => isTelling(fields[candidate]));
  if (name !== undefined) return cleanLine(fromWorkspace(String(fields[name]), workspace));
  if (Array.isArray(fields["todos"])) return `${fields["todos"].length} items`;
  const json = JSON.stringify(input);
  return json === "{}" || kind === "question" || kind === "plan" ? "" : cleanLine(json);
}

function isTelling(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function fromWorkspace(text: string, workspace: string | undefined): string {
  if (workspace === undefined || !isAbsolute(text)) return text;
  const inside = relative(workspace, text);
  return inside.startsWith("..") || isAbsolute(inside) ? text : inside || ".";
}
