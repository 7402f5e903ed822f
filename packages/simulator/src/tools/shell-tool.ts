import { blockedText } from "../policy/run-hooks.ts";
import type { BackgroundShell } from "./background-shells.ts";
import { allCommands, parseShellCommand } from "./parse-shell-command.ts";
import { runShell, type ShellEnd } from "./run-shell.ts";
import { elide, FILE_OUTPUT_THRESHOLD_BYTES, spillOutput } from "./spill-output.ts";
import { type Refusal, refusalText, type ToolDraft, type WireResult } from "./tool-draft.ts";
import {
  absolutePath,
  optionalNumber,
  optionalText,
  type ToolArgs,
  type ToolContext,
  type ToolOutcome,
  text,
} from "./tool-run.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const HARD_TIMEOUT_MS = 86_400_000;

export function shellTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const command = text(input, "command");
  const workingDirectory = text(input, "workingDirectory");
  const directory = workingDirectory === "" ? context.workspace : absolutePath(workingDirectory, context.workspace);
  const args = wireArgs(input, context);
  const description = optionalText(input, "description");
  return {
    key: "shellToolCall",
    args,
    ...(description === undefined ? {} : { description }),
    hook: { toolName: "Shell", input: { command, working_directory: directory } },
    before: [{ step: "beforeShellExecution", payload: () => ({ command, cwd: directory, sandbox: false }) }],
    actions: allCommands(command).map((part) => ({ kind: "Shell", command: part })),
    refuse: (refusal) => refuse(refusal, { command, workingDirectory: directory }),
    fail: (error) => ({ spawnError: { command, workingDirectory: directory, error } }),
    work: async (signal) => {
      const env = { ...context.env, CURSOR_AGENT: "1", CURSOR_CONVERSATION_ID: context.turn.conversationId };
      if (args.isBackground) {
        const started = await context.shells.start({ command, directory, env });
        return inBackground(started, { command, workingDirectory });
      }
      const startedAt = context.now();
      const end = await runShell({
        command,
        directory,
        timeoutMs: args.timeout,
        env,
        signal,
      });
      return toOutcome(end, { command, workingDirectory, args, context, elapsedMs: context.now() - startedAt });
    },
  };
}

function wireArgs(input: ToolArgs, context: ToolContext) {
  const command = text(input, "command");
  const parsingResult = parseShellCommand(command);
  const description = optionalText(input, "description");
  return {
    command,
    workingDirectory: text(input, "workingDirectory"),
    timeout: optionalNumber(input, "timeout") ?? DEFAULT_TIMEOUT_MS,
    toolCallId: context.toolCallId,
    simpleCommands: parsingResult.executableCommands.map(({ name }) => name),
    hasInputRedirect: parsingResult.redirects.some(({ operator }) => operator.startsWith("<")),
    hasOutputRedirect: parsingResult.redirects.some(({ operator }) => operator.startsWith(">")),
    parsingResult,
    fileOutputThresholdBytes: String(FILE_OUTPUT_THRESHOLD_BYTES),
    isBackground: input["isBackground"] === true,
    skipApproval: false,
    timeoutBehavior: "TIMEOUT_BEHAVIOR_BACKGROUND",
    hardTimeout: HARD_TIMEOUT_MS,
    ...(description === undefined ? {} : { description }),
    closeStdin: true,
    conversationId: context.turn.conversationId,
    adminCommandDenylist: [],
    requestId: context.turn.generationId,
  };
}

interface ShellCommand {
  readonly command: string;
  readonly workingDirectory: string;
}

/** Completed at once, with an exit code that is not the command's. */
function inBackground({ shellId, pid }: BackgroundShell, shown: ShellCommand): ToolOutcome {
  const ended = { ...shown, exitCode: 0, signal: "", stdout: "", stderr: "", executionTime: 0, interleavedOutput: "" };
  const success = { ...ended, shellId, pid, backgroundReason: "SHELL_BACKGROUND_REASON_USER_REQUEST" };
  const output = `Started in the background as shell ${shellId}.`;
  return { result: { success, isBackground: true, pid }, ok: true, output };
}

function refuse(refusal: Refusal, shown: ShellCommand): WireResult {
  if (refusal.kind === "denied") {
    const error = refusal.isReadonly ? refusalText(refusal) : "Command blocked by permissions configuration";
    return { permissionDenied: { ...shown, error, isReadonly: refusal.isReadonly } };
  }
  const reason = refusal.kind === "hook" ? blockedText("Command", refusal.message) : "";
  return { rejected: { ...shown, reason, isReadonly: false } };
}

interface EndContext extends ShellCommand {
  readonly args: ReturnType<typeof wireArgs>;
  readonly context: ToolContext;
  readonly elapsedMs: number;
}

function toOutcome(end: ShellEnd, { command, workingDirectory, args, context, elapsedMs }: EndContext): ToolOutcome {
  const shown = { command, workingDirectory };
  if (end.kind === "spawn-error")
    return { result: { spawnError: { ...shown, error: end.stderr } }, ok: false, output: end.stderr };
  if (end.kind === "timed-out") {
    const output = `${elide(end.interleaved)}\nTimed out after ${args.timeout} ms.`;
    return { result: { timeout: { ...shown, timeoutMs: args.timeout } }, ok: false, output };
  }
  const name = context.toolCallId.replace(/[^\w-]+/g, "-");
  const ended = {
    ...shown,
    exitCode: end.exitCode,
    signal: end.signal,
    stdout: elide(end.stdout),
    stderr: elide(end.stderr),
    executionTime: elapsedMs,
    ...spillOutput(end.interleaved, { directory: context.outputDir, name }),
    interleavedOutput: elide(end.interleaved),
  };
  const local = { localExecutionTimeMs: elapsedMs };
  const ok = end.kind === "exited" && end.exitCode === 0;
  const output = elide(end.interleaved) + (ok ? "" : exitNote(end));
  if (ok) return { result: { success: { ...ended, ...local }, isBackground: false }, ok, output };
  const aborted = end.kind === "aborted";
  const why = aborted ? { abortReason: "SHELL_ABORT_REASON_USER_ABORT" } : {};
  const failure = { ...ended, ...why, aborted, ...local };
  return { result: { failure, isBackground: false }, ok, output, keepsArgs: true };
}

function exitNote({ kind, exitCode, signal }: ShellEnd): string {
  if (kind === "aborted") return "\nAborted.";
  return signal === "" ? `\nExit code: ${exitCode}` : `\nKilled by ${signal}`;
}
