import { readFileSync, statSync } from "node:fs";
import { blockedText } from "../policy/run-hooks.ts";
import type { ToolDraft } from "./tool-draft.ts";
import {
  absolutePath,
  cleanPath,
  optionalNumber,
  pick,
  type ToolArgs,
  type ToolContext,
  type ToolOutcome,
  text,
} from "./tool-run.ts";

/** What one read gives back at most; a longer file is cut and says so. */
const MAX_READ_CHARACTERS = 1_000_000;

export function readTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const path = absolutePath(text(input, "path"), context.workspace);
  const range = pick(input, ["offset", "limit", "includeLineNumbers"]);
  const fail = (errorMessage: string) => ({ error: { errorMessage } });
  return {
    key: "readToolCall",
    args: { path, ...range },
    hook: { toolName: "Read", input: { file_path: path, ...range } },
    before: [{ step: "beforeReadFile", payload: () => readHookPayload(path) }],
    actions: [{ kind: "Read", path: cleanPath(path) }],
    refuse: (refusal) =>
      fail(refusal.kind === "hook" ? blockedText("File read", refusal.message) : "Permission denied"),
    fail,
    work: () => readFile(path, input),
  };
}

/** What `beforeReadFile` hooks are shown: the file as it is, or nothing when there is none. */
export function readHookPayload(path: string): Readonly<Record<string, unknown>> {
  const content = isFile(path) ? readFileSync(path, "utf8") : "";
  return { file_path: path, content, attachments: [] };
}

function readFile(path: string, input: ToolArgs): ToolOutcome {
  const problem = problemWith(path);
  if (problem !== undefined) return { result: { error: { errorMessage: problem } }, ok: false, output: problem };
  const bytes = readFileSync(path);
  if (bytes.includes(0)) return binary(path, bytes);
  const lines = bytes.toString("utf8").split("\n");
  const startLine = Math.max(1, optionalNumber(input, "offset") ?? 1);
  const endLine = Math.min(lines.length, startLine - 1 + (optionalNumber(input, "limit") ?? lines.length));
  const wanted = lines.slice(startLine - 1, endLine).join("\n");
  const content = wanted.slice(0, MAX_READ_CHARACTERS);
  const success = {
    content,
    isEmpty: bytes.length === 0,
    exceededLimit: content.length < wanted.length,
    totalLines: lines.length,
    fileSize: bytes.length,
    path,
    readRange: { startLine, endLine },
    relatedCursorRulePaths: [],
    relatedCursorRules: [],
  };
  return { result: { success }, ok: true, output: content };
}

function binary(path: string, bytes: Buffer): ToolOutcome {
  const success = {
    data: bytes.toString("base64"),
    isEmpty: false,
    exceededLimit: false,
    totalLines: 0,
    fileSize: bytes.length,
    path,
    relatedCursorRulePaths: [],
    relatedCursorRules: [],
  };
  return { result: { success }, ok: true, output: `(binary file, ${bytes.length} bytes)` };
}

function problemWith(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "File not found";
  return stats.isFile() ? undefined : "Path is a directory, not a file";
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
