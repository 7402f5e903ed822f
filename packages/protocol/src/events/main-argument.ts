import type { ToolKind } from "./agent-event.ts";

/** Arguments that say what a call is about, most specific first, in the spellings of several agents. */
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

/** A call's command, path, pattern or URL: what a person wants to know about it. Empty if it has none. */
export function mainArgument({ kind, input }: { readonly kind: ToolKind; readonly input?: unknown }): string {
  if (input === undefined || input === null) return "";
  if (typeof input !== "object") return String(input);
  const fields = input as Readonly<Record<string, unknown>>;
  const names = kind === "search" ? searching : kind === "task" ? delegating : common;
  const name = names.find((candidate) => isTelling(fields[candidate]));
  if (name !== undefined) return String(fields[name]);
  if (Array.isArray(fields["todos"])) return `${fields["todos"].length} items`;
  const json = JSON.stringify(input);
  return json === "{}" || kind === "question" || kind === "plan" ? "" : json;
}

function isTelling(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
