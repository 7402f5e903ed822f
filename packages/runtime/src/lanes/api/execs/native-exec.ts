import { CaretError } from "@caret/protocol";
import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { ArgsOf, ExecCase, ExecRequest, ExecResult } from "./exec-reply.ts";
import { fetchExec } from "./fetch-exec.ts";
import { deleteExec, readExec, writeExec } from "./file-execs.ts";
import { grepExec } from "./grep-exec.ts";
import { lsExec } from "./ls-exec.ts";
import type { NativeExec } from "./native-operation.ts";
import { piBashExec, piGrepExec, piLsExec, piReadExec, piWriteExec } from "./pi-execs.ts";
import { shellExec, shellStreamExec } from "./shell-execs.ts";

/** A native operation that the gateway's tools can do. */
export interface RunnableExec {
  readonly hasEffect: boolean;
  readonly call: ToolCall;
  readonly toResults: (result: ToolResult) => readonly ExecResult[];
}

const natives: { readonly [Case in ExecCase]?: NativeExec<ArgsOf<Case>> } = {
  shellArgs: shellExec("shellResult"),
  miniSweAgentBashArgs: shellExec("miniSweAgentBashResult"),
  shellStreamArgs: shellStreamExec,
  readArgs: readExec("readResult"),
  redactedReadArgs: readExec("redactedReadResult"),
  writeArgs: writeExec,
  deleteArgs: deleteExec,
  grepArgs: grepExec,
  lsArgs: lsExec,
  fetchArgs: fetchExec,
  piReadArgs: piReadExec,
  piBashArgs: piBashExec,
  piWriteArgs: piWriteExec,
  piGrepArgs: piGrepExec,
  piLsArgs: piLsExec,
};

/** Converts the request to a call of the gateway's own tools, or to a refusal if it cannot be called; undefined if no tool does this. */
export function toRunnable(
  request: ExecRequest,
  workspace: string,
): RunnableExec | { readonly refused: readonly ExecResult[] } | undefined {
  if (request.case === undefined) return undefined;
  const native = natives[request.case] as NativeExec<ArgsOf<ExecCase>> | undefined;
  if (native === undefined) return undefined;
  const { value } = request;
  try {
    return {
      hasEffect: native.hasEffect,
      call: native.toCall(value, workspace),
      toResults: (result) => native.toResults(value, result, workspace),
    };
  } catch (reason) {
    // The refusal is a result of the operation's own kind.
    const result: ToolResult = { text: CaretError.from(reason).message, isError: true };
    return { refused: native.toResults(value, result, workspace) };
  }
}
