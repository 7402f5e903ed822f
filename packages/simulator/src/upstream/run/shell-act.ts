import type { JsonObject } from "@bufbuild/protobuf";
import { parseShellCommand } from "../../tools/parse-shell-command.ts";
import { type Act, type ActOutcome, arm, pick, reasonOf, text } from "./act.ts";

const TIMEOUT_MS = 30_000;

/** A command whose output comes as a stream; its end is an exit code, or a refusal. */
export const shellAct: Act = (input, { link, workspace, toolCallId, conversationId }) => {
  const command = text(input, "command");
  const parsingResult = parseShellCommand(command);
  const args: JsonObject = {
    command,
    workingDirectory: text(input, "workingDirectory") || workspace,
    timeout: TIMEOUT_MS,
    toolCallId,
    simpleCommands: parsingResult.executableCommands.map(({ name }) => name),
    parsingResult: { ...parsingResult } as unknown as JsonObject,
    timeoutBehavior: "TIMEOUT_BEHAVIOR_BACKGROUND",
    closeStdin: true,
    conversationId,
    ...pick(input, ["description", "isBackground"]),
  };
  const seen = { stdout: "", stderr: "", interleavedOutput: "" };
  const run = async (): Promise<ActOutcome> => {
    const startedAt = Date.now();
    const answer = await link.exec({ shellStreamArgs: args }, (result) => {
      for (const stream of ["stdout", "stderr"] as const) {
        const data = arm(result, "shellStream", stream)?.["data"];
        if (typeof data !== "string") continue;
        seen[stream] += data;
        seen.interleavedOutput += data;
      }
      return isEnd(arm(result, "shellStream") ?? {});
    });
    const shown = { command, workingDirectory: args["workingDirectory"] as string };
    const executionTime = Date.now() - startedAt;
    if (answer.kind !== "result") {
      const error = answer.kind === "thrown" ? answer.error : "The client closed the command without its exit code";
      return { result: { spawnError: { ...shown, error } }, ok: false, output: error };
    }
    return toOutcome(arm(answer.result, "shellStream") ?? {}, { ...shown, ...seen, executionTime });
  };
  return { key: "shellToolCall", args, run };
};

function isEnd(event: JsonObject): boolean {
  return !("stdout" in event || "stderr" in event || "start" in event || "hookContext" in event);
}

function toOutcome(event: JsonObject, ended: JsonObject & { readonly interleavedOutput: string }): ActOutcome {
  const exit = arm(event, "exit");
  if (exit === undefined) return { result: event, ok: false, output: reasonOf(event) };
  // Protobuf's JSON leaves zero out.
  const exitCode = Number(exit["code"] ?? 0);
  const isTimeout = exit["aborted"] === true;
  const output = ended.interleavedOutput;
  if (isTimeout) return { result: { timeout: { ...ended, timeoutMs: TIMEOUT_MS } }, ok: false, output };
  const result = { [exitCode === 0 ? "success" : "failure"]: { ...ended, exitCode } };
  return { result, ok: exitCode === 0, output: exitCode === 0 ? output : `${output}\nExit code: ${exitCode}` };
}
