import { resolve } from "node:path";
import type { ToolResult } from "../../../calls/tool-call.ts";
import type { EntryData } from "../../../calls/tool-data.ts";
import { compileGlob } from "../../../tools/files/glob-pattern.ts";
import { dataOf } from "./call-outcome.ts";
import type { ArgsOf } from "./exec-reply.ts";
import type { NativeExec } from "./native-operation.ts";

/** All entries of one directory. Names are decoded by the file system: the protocol has no other form. */
export const lsExec: NativeExec<ArgsOf<"lsArgs">> = {
  hasEffect: false,
  toCall({ path, ignore }) {
    // An invalid pattern is refused before anything is listed.
    for (const pattern of ignore) compileGlob(pattern);
    return { name: "ls", input: path === "" ? {} : { path }, exact: {} };
  },
  toResults: (args, result, workspace) => [{ case: "lsResult", value: { result: lsResult(args, result, workspace) } }],
};

function lsResult({ path, ignore }: ArgsOf<"lsArgs">, result: ToolResult, workspace: string) {
  const listed = dataOf(result, "entries");
  if (listed === undefined) {
    const { text, isRejected } = result;
    if (isRejected === true) return { case: "rejected", value: { path, reason: text } } as const;
    return { case: "error", value: { path, error: text } } as const;
  }
  const ignored = ignore.map(compileGlob);
  const entries = listed.entries.filter(({ name }) => !ignored.some((matches) => matches(name)));
  return { case: "success", value: { directoryTreeRoot: treeOf(resolve(workspace, path), entries) } } as const;
}

function treeOf(absPath: string, entries: readonly EntryData[]) {
  const below = absPath.endsWith("/") ? absPath : `${absPath}/`;
  const files = entries.filter(({ isDirectory }) => !isDirectory);
  return {
    absPath,
    childrenDirs: entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => ({ absPath: `${below}${name}` })),
    childrenFiles: files.map(({ name }) => ({ name })),
    childrenWereProcessed: true,
    numFiles: files.length,
  };
}
