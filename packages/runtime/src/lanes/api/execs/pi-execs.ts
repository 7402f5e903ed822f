import type { ToolResult } from "../../../calls/tool-call.ts";
import type { FoundFile } from "../../../calls/tool-data.ts";
import { MAX_TIMEOUT_MS } from "../../../tools/exec/exec-limits.ts";
import { isBinary, utf8Text } from "../../../tools/files/text-encodings.ts";
import { dataOf } from "./call-outcome.ts";
import type { ArgsOf } from "./exec-reply.ts";
import type { NativeExec } from "./native-operation.ts";

/** The Pi harness shows the output of its operations to the model unchanged, so results are text here as well, made from data. */

export const piReadExec: NativeExec<ArgsOf<"piReadArgs">> = {
  hasEffect: false,
  toCall: ({ path, offset, limit }) => ({ name: "read", input: { path }, exact: { range: { offset, limit } } }),
  toResults(_, result) {
    const bytes = dataOf(result, "file")?.bytes;
    const text = bytes === undefined || isBinary(bytes) ? undefined : utf8Text(bytes);
    const failed = bytes === undefined ? result.text : "The file is not UTF-8 text";
    return [{ case: "piReadResult", value: text === undefined ? error(failed) : success(text) }];
  },
};

export const piWriteExec: NativeExec<ArgsOf<"piWriteArgs">> = {
  hasEffect: true,
  toCall: ({ path, content }) => ({ name: "write", input: { path, content }, exact: {} }),
  toResults({ path }, result) {
    const bytes = dataOf(result, "written")?.bytes;
    if (bytes !== undefined)
      return [{ case: "piWriteResult", value: success(`Wrote ${bytes.length} bytes to ${path}`) }];
    if (result.isRejected !== true) return [{ case: "piWriteResult", value: error(result.text) }];
    return [{ case: "piWriteResult", value: { result: { case: "rejected", value: { reason: result.text } } } }];
  },
};

export const piBashExec: NativeExec<ArgsOf<"piBashArgs">> = {
  hasEffect: true,
  toCall({ command, timeout = 0 }) {
    const timeoutMs = Math.min(Math.ceil(timeout * 1000), MAX_TIMEOUT_MS);
    return { name: "exec", input: { command, ...(timeoutMs > 0 ? { timeoutMs } : {}) }, exact: {} };
  },
  toResults(_, result) {
    const ended = dataOf(result, "command");
    const value = ended?.exitCode === 0 ? success(ended.output) : error(result.text);
    return [{ case: "piBashResult", value }];
  },
};

export const piGrepExec: NativeExec<ArgsOf<"piGrepArgs">> = {
  hasEffect: false,
  toCall: ({ pattern, path = "", glob = "", ignoreCase, literal, context = 0 }) => ({
    name: "grep",
    input: {
      pattern: literal === true ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : pattern,
      ...(path === "" ? {} : { path }),
      ...(glob === "" ? {} : { glob }),
      ...(ignoreCase === true ? { ignore_case: true } : {}),
    },
    exact: { search: { before: Math.max(0, context), after: Math.max(0, context), isMultiline: false } },
  }),
  toResults({ limit = 0 }, result) {
    const matches = dataOf(result, "matches");
    if (matches === undefined) return [{ case: "piGrepResult", value: error(result.text) }];
    return [{ case: "piGrepResult", value: foundLines(matches.found, limit, matches.isCut) }];
  },
};

/** The limit counts matches; context lines around the last one are shown. */
function foundLines(found: readonly FoundFile[], limit: number, isCut: boolean) {
  const lines = found.flatMap(({ path, lines: each }) => each.map((line) => ({ ...line, path })));
  const beyond = limit > 0 ? lines.filter(({ isContext }) => !isContext)[limit] : undefined;
  const shown = beyond === undefined ? lines : lines.slice(0, lines.indexOf(beyond));
  const output = shown.map(({ path, number, text, isContext }) =>
    isContext ? `${path}-${number}- ${text}` : `${path}:${number}: ${text}`,
  );
  const value = {
    output: output.join("\n"),
    linesTruncated: lines.some(({ leftOut }) => leftOut > 0) || isCut,
    ...(beyond === undefined ? {} : { matchLimitReached: limit }),
  };
  return { result: { case: "success", value } } as const;
}

export const piLsExec: NativeExec<ArgsOf<"piLsArgs">> = {
  hasEffect: false,
  toCall: ({ path = "" }) => ({ name: "ls", input: path === "" ? {} : { path }, exact: {} }),
  toResults({ limit = 0 }, result) {
    const entries = dataOf(result, "entries")?.entries;
    if (entries === undefined) return [{ case: "piLsResult", value: error(result.text) }];
    const names = entries.map(({ name, isDirectory }) => (isDirectory ? `${name}/` : name));
    const isCut = limit > 0 && names.length > limit;
    const value = {
      output: (isCut ? names.slice(0, limit) : names).join("\n"),
      ...(isCut ? { entryLimitReached: limit } : {}),
    };
    return [{ case: "piLsResult", value: { result: { case: "success", value } } }];
  },
};

function success(output: string) {
  return { result: { case: "success", value: { output } } } as const;
}

function error(text: ToolResult["text"]) {
  return { result: { case: "error", value: { error: text } } } as const;
}
