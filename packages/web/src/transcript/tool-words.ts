import { mainArgument, type ToolActivity } from "@caret/protocol";
import { createContext, use } from "react";

const Workspace = createContext<string | undefined>(undefined);

/** Where the session works: paths in it are shown from there. */
export const WorkspaceProvider = Workspace.Provider;

/** A call in a line: what was done, to what, and what can be said of it in a word or two. */
interface ToolWords {
  readonly verb: string;
  readonly subject: string;
  /** Paths keep their end in sight, code is set in the fixed font. */
  readonly look: "path" | "code" | "words";
  readonly note?: string;
}

/** The call of a transcript in words. Agents spell their arguments in several ways; all known ones are read. */
export function toolWords(tool: ToolActivity): ToolWords {
  switch (tool.kind) {
    case "shell":
      return { verb: "Run", subject: commandOf(tool), look: "code" };
    case "read":
      return { verb: "Read", subject: pathOf(tool), look: "path", ...noted(rangeOf(tool.input)) };
    case "edit":
      return { verb: isDeletion(tool) ? "Delete" : "Edit", subject: pathOf(tool), look: "path" };
    case "write":
      return { verb: "Write", subject: pathOf(tool), look: "path" };
    case "search":
      return isListing(tool)
        ? { verb: "List", subject: pathOf(tool), look: "path", ...noted(hitsOf(tool)) }
        : { verb: "Search", subject: searchOf(tool), look: "code", ...noted(hitsOf(tool)) };
    case "fetch":
      return { verb: isWebSearch(tool) ? "Search the web" : "Fetch", subject: mainArgument(tool), look: "words" };
    case "mcp":
      return { verb: tool.server ?? "MCP", subject: tool.name, look: "code" };
    case "task":
      return { verb: "Task", subject: mainArgument(tool), look: "words" };
    case "todo":
      return { verb: "Todos", subject: "", look: "words" };
    case "question":
      return { verb: "Question", subject: mainArgument(tool), look: "words" };
    case "plan":
      return { verb: "Plan", subject: mainArgument(tool), look: "words" };
    default:
      return { verb: tool.name, subject: mainArgument(tool), look: "code" };
  }
}

/** A text field of an input under any of its names. */
function inputText(input: unknown, ...names: readonly string[]): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  const value = names.map((name) => fields[name]).find((field) => typeof field === "string" && field !== "");
  return value as string | undefined;
}

export function commandOf({ input, name }: Pick<ToolActivity, "input" | "name">): string {
  const command = inputText(input, "command", "cmd", "chars");
  if (command !== undefined) return command;
  const words = (input as { readonly argv?: unknown } | null)?.argv;
  return Array.isArray(words) ? words.join(" ") : name;
}

export function directoryOf(input: unknown): string | undefined {
  return inputText(input, "cwd", "workingDirectory", "working_directory");
}

export function pathOf({ input, diff, name }: ToolActivity): string {
  return inputText(input, "path", "filePath", "file_path", "target_file", "targetFile") ?? diff?.path ?? name;
}

export function isDeletion({ name }: ToolActivity): boolean {
  return /^(delete|rm|remove)/i.test(name);
}

export function isListing({ name }: ToolActivity): boolean {
  return /^(ls|list)/i.test(name);
}

function isWebSearch({ name }: ToolActivity): boolean {
  return /search/i.test(name);
}

function noted(note: string | undefined): { readonly note?: string } {
  return note === undefined ? {} : { note };
}

/** `lines 10–49`, from an offset that counts from 1 and a limit. */
function rangeOf(input: unknown): string | undefined {
  const { limit } = (input ?? {}) as { readonly limit?: unknown };
  const first = firstLineOf(input);
  if (typeof limit === "number") return `lines ${first}–${first + limit - 1}`;
  return first > 1 ? `from line ${first}` : undefined;
}

/** The number of the first line that a read asked for. */
export function firstLineOf(input: unknown): number {
  const { offset } = (input ?? {}) as { readonly offset?: unknown };
  return typeof offset === "number" && offset > 0 ? offset : 1;
}

function searchOf(tool: ToolActivity): string {
  const subject = mainArgument(tool);
  const where = inputText(tool.input, "path", "targetDirectory", "directory", "glob");
  return where === undefined || where === subject ? subject : `${subject} in ${where}`;
}

function hitsOf({ status, output }: ToolActivity): string | undefined {
  if (status !== "ok") return undefined;
  const hits = output.split("\n").filter((line) => line.trim() !== "").length;
  if (hits === 0) return "nothing found";
  return hits === 1 ? "1 line" : `${hits.toLocaleString("en")} lines`;
}

export function useShownPath(path: string): string {
  return pathWithin(path, use(Workspace));
}

/** The path relative to the workspace. */
export function pathWithin(path: string, workspace: string | undefined): string {
  const start = workspace === undefined ? "" : `${workspace.replace(/\/$/, "")}/`;
  return start !== "" && path.startsWith(start) && path.length > start.length ? path.slice(start.length) : path;
}
