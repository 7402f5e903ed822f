import type { JsonObject } from "@bufbuild/protobuf";
import { type Act, type ActOutcome, absolutePath, arm, pick, reasonOf, records, resultOf, text } from "./act.ts";

const grep: Act = (input, { link, workspace, toolCallId }) => {
  const path = absolutePath(text(input, "path"), workspace);
  const options = pick(input, ["glob", "outputMode", "caseInsensitive", "multiline", "headLimit"]);
  const args = { pattern: text(input, "pattern"), path, outputMode: "content", ...options, toolCallId };
  const run = async (): Promise<ActOutcome> => {
    const result = resultOf(await link.exec({ grepArgs: args }), "grepResult");
    if (typeof result === "string") return { result: { error: { error: result } }, ok: false, output: result };
    const found = matchedLines(result);
    if (found === undefined) return { result, ok: false, output: reasonOf(result) };
    return { result, ok: true, output: found.join("\n") || "No matches found" };
  };
  return { key: "grepToolCall", args, run };
};

/** The client has no exec for glob: it searches for nothing in the files that the pattern names. */
const glob: Act = (input, { link, workspace, toolCallId }) => {
  const globPattern = text(input, "globPattern");
  const target = pick(input, ["targetDirectory"]);
  const path = absolutePath(text(input, "targetDirectory"), workspace);
  const wanted = { pattern: "", path, glob: globPattern, outputMode: "files_with_matches", toolCallId };
  const run = async (): Promise<ActOutcome> => {
    const result = resultOf(await link.exec({ grepArgs: wanted }), "grepResult");
    const files = typeof result === "string" ? undefined : matchedLines(result);
    if (files === undefined) {
      const error = typeof result === "string" ? result : reasonOf(result);
      return { result: { error: { error } }, ok: false, output: error };
    }
    const success = { pattern: globPattern, path, files: [...files], totalFiles: files.length };
    return { result: { success }, ok: true, output: files.join("\n") || "No files found" };
  };
  return { key: "globToolCall", args: { globPattern, ...target }, run };
};

/** What a search found, a line for each match; undefined when it failed. */
function matchedLines(result: JsonObject): readonly string[] | undefined {
  const workspaces = arm(result, "success");
  if (workspaces === undefined) return undefined;
  return records(Object.values(arm(workspaces, "workspaceResults") ?? {})).flatMap((union) =>
    unionLines(union as JsonObject),
  );
}

function unionLines(union: JsonObject): readonly string[] {
  const files = arm(union, "files")?.["files"];
  if (Array.isArray(files)) return files.map(String);
  const content = arm(union, "content");
  if (content === undefined) {
    const counts = records(arm(union, "count")?.["counts"]);
    return counts.map(({ file, count }) => `${String(file)}:${String(count)}`);
  }
  return records(content["matches"]).flatMap(({ file, matches }) =>
    records(matches).map(
      ({ lineNumber, content: line }) => `${String(file)}:${String(lineNumber)}:${String(line ?? "")}`,
    ),
  );
}

const ls: Act = (input, { link, workspace, toolCallId }) => {
  const args = { path: absolutePath(text(input, "path"), workspace), ...pick(input, ["ignore"]), toolCallId };
  const run = async (): Promise<ActOutcome> => {
    const result = resultOf(await link.exec({ lsArgs: args }), "lsResult");
    if (typeof result === "string")
      return { result: { error: { path: args.path, error: result } }, ok: false, output: result };
    const root = arm(result, "success", "directoryTreeRoot");
    if (root === undefined) return { result, ok: false, output: reasonOf(result) };
    return { result, ok: true, output: treeLines(root, "").join("\n") };
  };
  return { key: "lsToolCall", args, run };
};

function treeLines(node: JsonObject, indent: string): readonly string[] {
  const directories = records(node["childrenDirs"]).flatMap((child) => {
    const name = String(child["absPath"] ?? "").slice(String(node["absPath"] ?? "").length + 1);
    return [`${indent}${name}/`, ...treeLines(child as JsonObject, `${indent}  `)];
  });
  return [...directories, ...records(node["childrenFiles"]).map(({ name }) => `${indent}${String(name)}`)];
}

export const searchActs = { grep, glob, ls } as const;
