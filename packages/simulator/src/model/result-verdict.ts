import { isRecord, parseRecord } from "../json/json.ts";
import type { Intent } from "./model.ts";

/** A call's result, as far as it says whether the call succeeded. */
export interface JudgedResult {
  readonly ok: boolean;
  readonly output: string;
}

/**
 * Whether a call failed. Two of three APIs have no flag for that, so the words of a result count as well; but a file may
 * say "Error" and a command may print it, so what a result of that kind looks like decides which words do.
 */
export function isFailed(intent: Intent, { ok, output }: JudgedResult): boolean {
  if (!ok) return true;
  if (/^\s*<tool_use_error>/.test(output)) return true;
  const stated = verdictOfJson(intent, output);
  if (stated !== undefined) return stated;
  const code = exitCodeOf(output);
  if (code !== undefined) return code !== 0;
  switch (intent.kind) {
    case "run":
      return refusal.test(firstLine(output));
    case "write":
    case "edit":
    case "delete":
      return changeFailed(intent.path, output);
    case "read":
      return readFailed(intent.path, output);
    case "list":
    case "search":
    case "find":
    case "fetch":
      return errorLead.test(output) && isShort(output) && reason.test(output);
    default:
      return false;
  }
}

const exitCode =
  /^\W*(?:process exited with code|exit(?:ed)?(?: with)?(?: code| status)|command (?:failed|exited) with (?:exit )?(?:code|status))\W*(\d+)\W*$/im;
const ENDS = 600;

/** Tools for commands say it in a line of its own, before or after what was printed. */
export function exitCodeOf(output: string): number | undefined {
  const ends = output.length <= 2 * ENDS ? output : `${output.slice(0, ENDS)}\n${output.slice(-ENDS)}`;
  const code = exitCode.exec(ends)?.[1];
  return code === undefined ? undefined : Number(code);
}

const refusal =
  /^\W*(?:error\W+)?(?:(?:the )?(?:command|tool|call|execution|user|permission|sandbox)\b[^\n]{0,80}?\b)(?:rejected|denied|blocked|refused|declined|not allowed|not permitted|disallowed)\b/i;
const errorLead =
  /^\W*(?:error|failed|failure|cannot|could not|unable|enoent|eacces|invalid|no such|access denied|permission denied|file not found|file does not exist|path\b)/i;
const reason =
  /\b(?:no such|not found|does(?: not|n't) exist|ENOENT|EACCES|EPERM|EISDIR|ENOTDIR|denied|cannot|could not|unable|failed|invalid|outside|must be|not allowed|not permitted|rejected)\b/i;
const fileReason =
  /\b(?:no such file|not found|does(?: not|n't) exist|ENOENT|EACCES|EPERM|EISDIR|is a directory|permission denied|outside (?:of )?the|must be (?:an )?absolute|not (?:an )?absolute)\b/i;
const changeReason =
  /\b(?:errors?|failed|failure|cannot|can't|could not|unable|denied|rejected|refused|blocked|read-only|not permitted|not allowed|not found|no such|does not exist|invalid|ENOENT|EACCES|EROFS|EPERM)\b/i;

function changeFailed(path: string, output: string): boolean {
  const line = firstLine(output).replaceAll(path, "");
  if (/\bsuccess|\b(?:no|0|without) (?:errors?|failures?)\b/i.test(line)) return false;
  return changeReason.test(line.replace(/[\w./-]*\/[\w./-]*/g, ""));
}

function readFailed(path: string, output: string): boolean {
  if (!isShort(output) || !errorLead.test(output)) return false;
  const name = path.split("/").at(-1) ?? path;
  return fileReason.test(output) || (output.includes(name) && reason.test(output));
}

/** What a JSON result says of itself; nothing when it is none, or when it may be the content that was asked for. */
function verdictOfJson(intent: Intent, output: string): boolean | undefined {
  if (!/^\s*\{/.test(output)) return undefined;
  const value = parseRecord(output);
  if (value === undefined) return undefined;
  if (intent.kind === "read") return /\.json\w?$/i.test(intent.path) ? undefined : verdictOfFields(value);
  const code = [value["exit_code"], value["exitCode"], codeWithin(value["metadata"])].find(Number.isInteger);
  if (code !== undefined) return code !== 0;
  return intent.kind === "run" ? undefined : verdictOfFields(value);
}

function verdictOfFields(value: Readonly<Record<string, unknown>>): boolean | undefined {
  const says = [value["success"], value["ok"]].find((flag) => typeof flag === "boolean");
  if (typeof says === "boolean") return !says;
  if (value["isError"] === true || /^(?:error|failed|rejected|denied)$/i.test(String(value["status"] ?? "")))
    return true;
  return Object.keys(value).length <= 2 && isSaid(value["error"]) ? true : undefined;
}

function codeWithin(metadata: unknown): unknown {
  return isRecord(metadata) ? (metadata["exit_code"] ?? metadata["exitCode"]) : undefined;
}

function isSaid(error: unknown): boolean {
  return error !== undefined && error !== null && error !== false && error !== "";
}

function firstLine(output: string): string {
  return output.trim().split("\n", 1)[0]?.slice(0, 500) ?? "";
}

function isShort(output: string): boolean {
  const text = output.trim();
  return text.length <= 500 && text.split("\n").length <= 4;
}
