import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { globPattern } from "../policy/permission-rule.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";
import { absolutePath, cleanPath, optionalText, pick, type ToolArgs, type ToolContext, text } from "./tool-run.ts";

/** What the agent's searching tools skip, as their search program does by default. */
export const ignoredNames: ReadonlySet<string> = new Set([".git", "node_modules", ".DS_Store"]);

/** A search must end even when a user points it at a whole disk. */
const MAX_FILES = 20_000;

const MAX_LINE_CHARACTERS = 1_000;

export function globTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const globText = text(input, "globPattern");
  const target = text(input, "targetDirectory");
  const path = target === "" ? context.workspace : absolutePath(target, context.workspace);
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "globToolCall",
    args: { ...pick(input, ["targetDirectory"]), globPattern: globText },
    hook: { toolName: "Glob", input: { glob_pattern: globText, target_directory: path } },
    actions: [{ kind: "Read", path: cleanPath(path) }],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: () => {
      const pattern = globPattern(globText.startsWith("**/") ? globText : `**/${globText}`);
      const files = walkFiles(path).filter((file) => pattern.test(file));
      const counts = { totalFiles: files.length, clientTruncated: false, ripgrepTruncated: false };
      const success = { pattern: "", path, files, ...counts };
      return { result: { success }, ok: true, output: files.join("\n") || "No files found" };
    },
  };
}

interface FileMatches {
  readonly file: string;
  readonly matches: readonly {
    readonly lineNumber: number;
    readonly content: string;
    readonly contentTruncated: boolean;
    readonly isContextLine: boolean;
  }[];
}

export function grepTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const pattern = text(input, "pattern");
  const path = absolutePath(text(input, "path"), context.workspace);
  const outputMode = optionalText(input, "outputMode") ?? "content";
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "grepToolCall",
    args: {
      pattern,
      ...pick(input, ["path", "glob", "outputMode", "caseInsensitive", "multiline", "headLimit"]),
      toolCallId: context.toolCallId,
    },
    hook: { toolName: "Grep", input: { pattern, path, output_mode: outputMode } },
    actions: [{ kind: "Read", path: cleanPath(path) }],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: () => {
      const found = search(path, input);
      const workspaceResults = { [context.workspace]: toUnion(found, outputMode) };
      const success = { pattern, path, outputMode, workspaceResults };
      return { result: { success }, ok: true, output: toText(found) };
    },
  };
}

function search(path: string, input: ToolArgs): readonly FileMatches[] {
  const expression = new RegExp(text(input, "pattern"), input["caseInsensitive"] === true ? "i" : "");
  const glob = optionalText(input, "glob");
  const wanted = glob === undefined ? undefined : globPattern(glob.includes("/") ? glob : `**/${glob}`);
  const single = statSync(path).isFile();
  const root = single ? dirname(path) : path;
  const files = single ? [basename(path)] : walkFiles(path);
  return files
    .filter((file) => wanted === undefined || wanted.test(file))
    .map((file) => ({ file, matches: matchesIn(join(root, file), expression) }))
    .filter(({ matches }) => matches.length > 0);
}

function matchesIn(path: string, expression: RegExp): FileMatches["matches"] {
  const bytes = readFileSync(path);
  if (bytes.includes(0)) return [];
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line, index) => (expression.test(line) ? [toMatch(line, index + 1)] : []));
}

function toMatch(line: string, lineNumber: number): FileMatches["matches"][number] {
  return {
    lineNumber,
    content: line.slice(0, MAX_LINE_CHARACTERS),
    contentTruncated: line.length > MAX_LINE_CHARACTERS,
    isContextLine: false,
  };
}

function toUnion(found: readonly FileMatches[], outputMode: string): Readonly<Record<string, unknown>> {
  const truncation = { clientTruncated: false, ripgrepTruncated: false };
  const total = found.reduce((sum, { matches }) => sum + matches.length, 0);
  if (outputMode === "files_with_matches")
    return { files: { files: found.map(({ file }) => file), totalFiles: found.length, ...truncation } };
  if (outputMode === "count") {
    const counts = found.map(({ file, matches }) => ({ file, count: matches.length }));
    return { count: { counts, totalFiles: found.length, totalMatches: total, ...truncation } };
  }
  return { content: { matches: found, totalLines: total, totalMatchedLines: total, ...truncation } };
}

function toText(found: readonly FileMatches[]): string {
  const lines = found.flatMap(({ file, matches }) =>
    matches.map(({ lineNumber, content }) => `${file}:${lineNumber}:${content}`),
  );
  return lines.join("\n") || "No matches found";
}

/** Every file below a directory, as relative paths in a stable order. */
function walkFiles(root: string): readonly string[] {
  const found: string[] = [];
  const waiting = [""];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (found.length >= MAX_FILES) break;
    const { files, directories } = listDirectory(root, directory);
    found.push(...files);
    waiting.push(...directories);
  }
  return found.toSorted();
}

function listDirectory(root: string, directory: string) {
  const entries = readdirSync(join(root, directory), { withFileTypes: true }).filter(
    ({ name }) => !ignoredNames.has(name),
  );
  const toPath = ({ name }: { readonly name: string }) => (directory === "" ? name : `${directory}/${name}`);
  return {
    files: entries.filter((entry) => entry.isFile()).map(toPath),
    directories: entries.filter((entry) => entry.isDirectory()).map(toPath),
  };
}
