import { stripVTControlCharacters } from "node:util";
import { CaretError, type ErrorCode } from "@caret/protocol";
import type { FailureClass } from "../profiles/rotation.ts";
import {
  type FailureResponse,
  type FailureRule,
  type FailureSetting,
  failureRules,
  lastRules,
} from "./classify-failure-rules.ts";

/** How a CLI ended that gave no result. */
export interface CliFailure extends FailureSetting {
  /** Its standard error, already redacted. */
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Nothing was written to standard output. */
  readonly stdoutEmpty: boolean;
  /** The command that shows what the program does with pipes; only for a program configured by the user. */
  readonly pipeTest?: string;
}

/** Of a flooded standard error only the end is read: the explanation comes last. */
const MAX_READ_CHARACTERS = 64 * 1024;
const MAX_UPSTREAM_CHARACTERS = 2_000;
const SHELL_SIGNAL_OFFSET = 128;
/** Signals that others use to end a process; death by any other signal is the program's own fault. */
const outsideSignals = new Set<string>(["SIGHUP", "SIGINT", "SIGTERM", "SIGKILL"]);
const signalNumbers: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
};
const crashes: Readonly<Record<string, string>> = {
  SIGILL: "illegal instruction",
  SIGABRT: "aborted",
  SIGBUS: "bus error",
  SIGFPE: "arithmetic error",
  SIGSEGV: "segmentation fault",
};

/**
 * Determines why the CLI failed from what it leaves behind: words on standard error and an exit code. It has no other way to say it; most
 * failures exit with 1, so the words decide, and the code only if they say nothing.
 *
 * Words that merely accompany a failure are tried last: a CLI killed while it was reconnecting was killed. Not for a turn that Caret
 * itself stopped: its lane knows that it was cancelled.
 */
export function classifyFailure(failure: CliFailure): CaretError {
  const words = stripVTControlCharacters(failure.stderr.slice(-MAX_READ_CHARACTERS)).replaceAll("\r", "\n");
  const response =
    matchRules(failureRules, words, failure) ??
    byExit(failure) ??
    matchRules(lastRules, words, failure) ??
    byWords(words, failure);
  // The fix already lists the models.
  const own = response.code === "model-unknown" ? words.replace(/ ?Available models:[^\n]*/i, "") : words;
  const upstream = own.trim().slice(-MAX_UPSTREAM_CHARACTERS);
  const fix = response.fix ?? (upstream === "" ? silentFix(response.code, failure) : undefined);
  return new CaretError(response.code, response.message, {
    ...(fix !== undefined && { fix }),
    ...(response.retryable !== undefined && { retryable: response.retryable }),
    ...(upstream !== "" && { upstream }),
  });
}

/** The fix if the agent left no words to look at. */
function silentFix(code: ErrorCode, { isOwn = false, pipeTest }: CliFailure): string | undefined {
  if (code !== "agent-crashed" && code !== "no-result") return undefined;
  if (!isOwn) return "Try again; if it happens again, run `agent update`.";
  if (pipeTest === undefined) return "Try again; if it happens again, run the program by hand.";
  const why =
    "A program that answers in a terminal only does not support pipes; one that prints nothing lacks a setting";
  return `Run it by hand, through a pipe: \`${pipeTest}\`, and look at its exit code. ${why} or ends before it reads its input.`;
}

/**
 * What may help against a failure before anything was shown: another profile (`auth`), another profile and then another model (`account`),
 * another attempt (`transport`), another model (`model`). A login problem is no reason to change the model or to retry the same profile.
 */
export function isRecoverable(error: CaretError): FailureClass | undefined {
  return recoveries[error.code];
}

const recoveries: Partial<Record<ErrorCode, FailureClass>> = {
  "not-logged-in": "auth",
  "bad-key": "auth",
  "model-unknown": "model",
  "model-unavailable": "account",
  "usage-limit": "account",
  "rate-limited": "transport",
  "upstream-unreachable": "transport",
  "agent-crashed": "transport",
  "agent-unavailable": "transport",
  "no-result": "transport",
  // Another model may use another program, with a known protocol.
  "protocol-drift": "model",
  stalled: "transport",
};

function matchRules(
  rules: readonly FailureRule[],
  words: string,
  setting: FailureSetting,
): FailureResponse | undefined {
  for (const { pattern, respond } of rules) {
    const match = pattern.exec(words);
    const response = match === null ? undefined : respond({ ...setting, match });
    if (response !== undefined) return response;
  }
  return undefined;
}

function byExit({ exitCode, signal, commandName }: CliFailure): FailureResponse | undefined {
  if (exitCode === 127)
    return { code: "cli-broken", message: `\`${commandName}\`, or a program that it needs, could not be found` };
  if (exitCode === 126) return { code: "cli-not-executable", message: `\`${commandName}\` may not be executed` };
  const name = signal ?? signalNumbers[(exitCode ?? 0) - SHELL_SIGNAL_OFFSET];
  if (name === undefined) return undefined;
  if (outsideSignals.has(name)) return { code: "killed", message: `The agent was ended from outside (${name})` };
  return { code: "agent-crashed", message: `The agent crashed (${crashes[name] ?? name})` };
}

/** The fallback: the words are unknown or missing. */
function byWords(words: string, { exitCode, stdoutEmpty }: CliFailure): FailureResponse {
  const when = stdoutEmpty ? "before it said anything" : "in the middle of its answer";
  if (exitCode === 0)
    return { code: "no-result", message: `The agent ended ${when}, without a result and without an error` };
  const how = exitCode === null ? "" : ` with exit code ${exitCode}`;
  if (words.trim() === "")
    return { code: "agent-crashed", message: `The agent ended${how} ${when}, and wrote nothing to standard error` };
  // A stack trace means that the program crashed; a plain sentence means that it gave up and said why.
  const isCrash = /^[ \t]+at .+:\d+:\d+\)?$/m.test(words) || /^Node\.js v\d/m.test(words);
  if (isCrash) return { code: "agent-crashed", message: `The agent ended${how} ${when}` };
  return { code: "upstream-error", message: `The agent gave up${how} ${when}` };
}
