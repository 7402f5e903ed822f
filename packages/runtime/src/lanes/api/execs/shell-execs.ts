import { constants } from "node:os";
import { CaretError } from "@caret/protocol";
import { ShellAbortReason } from "@caret/protocol/agent-api/shell";
import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { CommandData } from "../../../calls/tool-data.ts";
import { MAX_TIMEOUT_MS } from "../../../tools/exec/exec-limits.ts";
import { dataOf } from "./call-outcome.ts";
import type { ArgsOf, ExecResult } from "./exec-reply.ts";
import type { NativeExec } from "./native-operation.ts";

type Shell = ArgsOf<"shellArgs">;

export function shellExec(answer: "shellResult" | "miniSweAgentBashResult"): NativeExec<ArgsOf<"shellArgs">> {
  return {
    hasEffect: true,
    toCall: shellCall,
    toResults: (args, result) => [{ case: answer, value: { result: shellResult(args, result) } }],
  };
}

export const shellStreamExec: NativeExec<ArgsOf<"shellStreamArgs">> = {
  hasEffect: true,
  toCall: shellCall,
  toResults: shellStream,
};

function shellCall({ command, workingDirectory, timeout, hardTimeout = 0, isBackground }: Shell): ToolCall {
  if (isBackground)
    throw new CaretError("unsupported", "This client leaves no command running: run it in the foreground");
  const timeoutMs = Math.min(timeout > 0 ? timeout : hardTimeout, MAX_TIMEOUT_MS);
  return {
    name: "exec",
    input: {
      command,
      ...(workingDirectory === "" ? {} : { cwd: workingDirectory }),
      ...(timeoutMs > 0 ? { timeoutMs } : {}),
    },
    exact: {},
  };
}

/** Both outputs share one pipe, which preserves their order. */
function shellResult({ command, workingDirectory }: Shell, result: ToolResult) {
  const where = { command, workingDirectory };
  const { text, isRejected } = result;
  if (isRejected === true) return { case: "rejected", value: { ...where, reason: text } } as const;
  const ended = dataOf(result, "command");
  if (ended === undefined) return { case: "spawnError", value: { ...where, error: text } } as const;
  const { output, cut, signal = "" } = ended;
  const exitCode = exitCodeOf(ended);
  const kept =
    cut === undefined ? {} : { outputHead: cut.head, outputTail: cut.tail, elidedChars: Math.max(0, cut.leftOut) };
  const value = { ...where, exitCode, signal, stdout: output, interleavedOutput: output, ...kept };
  if (exitCode === 0) return { case: "success", value } as const;
  return { case: "failure", value: { ...value, ...abortOf(ended) } } as const;
}

function shellStream(args: Shell, result: ToolResult): readonly ExecResult[] {
  const { command, workingDirectory } = args;
  const ended = dataOf(result, "command");
  if (ended === undefined) {
    const event = { case: "rejected", value: { command, workingDirectory, reason: result.text } } as const;
    return [{ case: "shellStream", value: { event } }];
  }
  const exit = { code: exitCodeOf(ended), cwd: workingDirectory, ...abortOf(ended) };
  return [
    { case: "shellStream", value: { event: { case: "start", value: {} } } },
    { case: "shellStream", value: { event: { case: "stdout", value: { data: ended.output } } } },
    { case: "shellStream", value: { event: { case: "exit", value: exit } } },
  ];
}

/** The exit code as a shell reports it, also for a command ended by a signal. */
function exitCodeOf({ exitCode, signal = "" }: CommandData): number {
  return exitCode ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

function abortOf({ stopped }: CommandData) {
  if (stopped === undefined) return {};
  const abortReason = stopped === "timeout" ? ShellAbortReason.TIMEOUT : ShellAbortReason.USER_ABORT;
  return { aborted: true, abortReason };
}
