import { CaretError } from "@caret/protocol";
import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { FileOrder, FoundFile, SearchAsk } from "../../../calls/tool-data.ts";
import { dataOf } from "./call-outcome.ts";
import type { ArgsOf } from "./exec-reply.ts";
import type { NativeExec } from "./native-operation.ts";

type GrepArgs = ArgsOf<"grepArgs">;

/** A search in ripgrep's terms. An empty pattern asks for file names: the protocol has no other operation for it. */
export const grepExec: NativeExec<ArgsOf<"grepArgs">> = {
  hasEffect: false,
  toCall: (args) => (asksForNames(args) ? globCall(args) : grepCall(args)),
  toResults: (args, result, workspace) => [
    { case: "grepResult", value: { result: grepResult(args, result, workspace) } },
  ],
};

function asksForNames({ pattern, outputMode, type }: GrepArgs): boolean {
  return pattern === "" && outputMode === "files_with_matches" && (type ?? "") === "";
}

function globCall(args: GrepArgs): ToolCall {
  const { path = "", glob = "" } = args;
  const where = path === "" ? {} : { path };
  return {
    name: "glob",
    input: { pattern: glob === "" ? "**" : glob, ...where },
    exact: { order: orderOf(args), page: wantedPage(args) },
  };
}

function wantedPage({ outputMode, headLimit, offset }: GrepArgs) {
  return { outputMode, headLimit, offset };
}

function grepCall(args: GrepArgs): ToolCall {
  const { pattern, path = "", glob = "", caseInsensitive, type = "", multiline = false } = args;
  const { context = 0, contextBefore = context, contextAfter = context } = args;
  const search: SearchAsk = {
    before: Math.max(0, contextBefore),
    after: Math.max(0, contextAfter),
    isMultiline: multiline,
    ...(type === "" ? {} : { type }),
  };
  return {
    name: "grep",
    input: {
      // An empty pattern matches every line.
      pattern: pattern === "" ? "(?:)" : pattern,
      ...(path === "" ? {} : { path }),
      ...(glob === "" ? {} : { glob }),
      ...(caseInsensitive === true ? { ignore_case: true } : {}),
    },
    exact: { search, order: orderOf(args), page: wantedPage(args) },
  };
}

const orders = ["path", "modified", "accessed", "created"] as const;

function orderOf({ sort = "", sortAscending = true }: GrepArgs): FileOrder {
  const by = sort === "" || sort === "none" ? "path" : orders.find((order) => order === sort);
  if (by !== undefined) return { by, isDescending: !sortAscending };
  throw new CaretError("unsupported", `This client does not know the order ${sort.slice(0, 100)}`);
}

function grepResult(args: GrepArgs, result: ToolResult, workspace: string) {
  const { pattern, path = "", outputMode = "content" } = args;
  const union = unionOf({ ...args, outputMode }, result);
  if (typeof union === "string") return { case: "error", value: { error: union } } as const;
  const workspaceResults = { [workspace]: { result: union } };
  return { case: "success", value: { pattern, path, outputMode, workspaceResults } } as const;
}

/** The findings in the requested mode; or the reason for having none. */
function unionOf(args: GrepArgs & { readonly outputMode: string }, result: ToolResult) {
  const names = dataOf(result, "files");
  if (names !== undefined) return filesResult(args, names.files, names.isCut);
  const matches = dataOf(result, "matches");
  if (matches === undefined) return result.text;
  const { found, isCut } = matches;
  switch (args.outputMode) {
    case "content":
      return contentResult(args, found, isCut);
    case "files_with_matches":
      return filesResult(args, pathsOf(found), isCut);
    case "count":
      return countResult(args, found, isCut);
    default:
      return `This client does not know the output mode ${args.outputMode.slice(0, 100)}`;
  }
}

function pathsOf(found: readonly FoundFile[]): readonly string[] {
  return found.map(({ path }) => path);
}

function filesResult(args: GrepArgs, files: readonly string[], isCut: boolean) {
  const page = pageOf(args, files);
  const value = {
    files: [...page.items],
    totalFiles: files.length,
    clientTruncated: isCut || page.isCut,
    ...page.limits,
  };
  return { case: "files", value } as const;
}

function countResult(args: GrepArgs, found: readonly FoundFile[], isCut: boolean) {
  const page = pageOf(args, found);
  const value = {
    counts: page.items.map(({ path, matchedLines }) => ({ file: path, count: matchedLines })),
    totalFiles: found.length,
    totalMatches: matchedLinesOf(found),
    clientTruncated: isCut || page.isCut,
    ...page.limits,
  };
  return { case: "count", value } as const;
}

function contentResult(args: GrepArgs, found: readonly FoundFile[], isCut: boolean) {
  const lines = found.flatMap(({ path, lines: each }) => each.map((line) => ({ path, line })));
  const page = pageOf(args, lines);
  const byFile = Map.groupBy(page.items, ({ path }) => path);
  const matches = Array.from(byFile, ([file, items]) => ({
    file,
    matches: items.map(({ line: { number, text, leftOut, isContext } }) => ({
      lineNumber: number,
      content: text,
      contentTruncated: leftOut > 0,
      isContextLine: isContext,
    })),
  }));
  const value = {
    matches,
    totalLines: found.reduce((sum, { totalLines }) => sum + totalLines, 0),
    totalMatchedLines: matchedLinesOf(found),
    clientTruncated: isCut || page.isCut,
    ...page.limits,
  };
  return { case: "content", value } as const;
}

function matchedLinesOf(found: readonly FoundFile[]): number {
  return found.reduce((sum, { matchedLines }) => sum + matchedLines, 0);
}

/** Applies the limits, which count lines, files or counts depending on the mode. */
function pageOf<Item>({ offset = 0, headLimit = 0 }: GrepArgs, items: readonly Item[]) {
  const from = Math.max(0, offset);
  const page = items.slice(from, headLimit > 0 ? from + headLimit : undefined);
  const limits = {
    ...(headLimit > 0 ? { headLimitApplied: headLimit } : {}),
    ...(from > 0 ? { offsetApplied: from } : {}),
  };
  return { items: page, isCut: page.length < items.length, limits };
}
