import { type FileDiff, isJsonObject, type JsonObject } from "@caret/protocol";
import { numberField, readErrorText, textField, wordField } from "../read-fields.ts";
import type { ToolResultEvent } from "../turn-draft.ts";
import { shellText, successText } from "./success-text.ts";

/** Fields next to the arm that are not arms. */
const siblings: ReadonlySet<string> = new Set([
  "isBackground",
  "terminalsFolder",
  "pid",
  "sandboxPolicy",
  "planUri",
  "sourceAgentId",
  "targetAgentId",
  "projectRootId",
  "durationMs",
]);

const okArms: ReadonlySet<string> = new Set(["success", "complete", "stillRunning", "async"]);

type Outcome = Omit<ToolResultEvent, "type" | "callId" | "durationMs">;

/** The CLI answers questions itself if nobody can, and falsely tells its model that a user skipped them. */
const NO_INPUT_SURFACE = "Nobody could be asked: this turn has no input surface.";
const skippedReason = /skipped by the user/i;

/** The outcome of a call. `name` is undefined for tools that are not the agent's own. */
export function toOutcome(name: string | undefined, result: unknown, args: unknown): Outcome {
  if (!isJsonObject(result))
    return { status: "ok", output: result === undefined || result === null ? "" : asText(result) };
  if (numberField(result, "exitCode") !== undefined) return plainShellOutcome(result);
  const arm = readArm(result);
  if (arm === undefined) return { status: "ok", output: "" };
  if (name === "shell" && arm.isOk && isJsonObject(arm.value) && isBackgrounded([result, arm.value, args]))
    return backgroundOutcome(arm.value);
  const outcome = arm.isOk ? okOutcome(name, arm, args) : failedOutcome(name, arm);
  const exitCode = isJsonObject(arm.value) ? numberField(arm.value, "exitCode") : undefined;
  return exitCode === undefined ? outcome : { ...outcome, exitCode };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `{ exitCode, stdout, stderr }` without an arm around it. */
function plainShellOutcome(result: JsonObject): Outcome {
  const exitCode = numberField(result, "exitCode") ?? 0;
  return { status: exitCode === 0 ? "ok" : "error", output: shellText(result), exitCode };
}

/** A background command completes at once, with an exit code that is not its own. */
function isBackgrounded(places: readonly unknown[]): boolean {
  return places.filter(isJsonObject).some((place) => place["isBackground"] === true || hasBackgroundReason(place));
}

/** An enum, by name or number; its first value means that there is no reason. */
function hasBackgroundReason(place: JsonObject): boolean {
  const reason = place["backgroundReason"];
  return typeof reason === "string" ? !/^$|UNSPECIFIED$/.test(reason) : typeof reason === "number" && reason > 0;
}

function backgroundOutcome(value: JsonObject): Outcome {
  const shell = numberField(value, "shellId");
  const pid = numberField(value, "pid");
  const names = [...(shell === undefined ? [] : [`shell ${shell}`]), ...(pid === undefined ? [] : [`process ${pid}`])];
  const runs = `Runs in the background${names.length === 0 ? "" : ` as ${names.join(", ")}`}`;
  return { status: "ok", output: [shellText(value), runs].filter((text) => text !== "").join("\n") };
}

function okOutcome(name: string | undefined, arm: ResultArm, args: unknown): Outcome {
  const output = name === undefined ? genericOutput(arm.value) : successText(name, arm.value, args);
  const diff = name === undefined ? undefined : toDiff(name, arm.value, args);
  return diff === undefined ? { status: "ok", output } : { status: "ok", output, diff };
}

function genericOutput(value: unknown): string {
  return isJsonObject(value) ? JSON.stringify(value) : successText("", value, undefined);
}

function failedOutcome(name: string | undefined, { name: arm, value }: ResultArm): Outcome {
  const fields = isJsonObject(value) ? value : undefined;
  if (arm === "rejected") return { status: "rejected", output: rejection(fields, value) };
  if (isDenial(arm, fields)) return { status: "rejected", output: readErrorText(value) ?? describeArm(arm, fields) };
  if (arm === "failure" && fields?.["aborted"] === true) return { status: "interrupted", output: shellText(fields) };
  if (arm === "failure" && name === "shell" && fields !== undefined)
    return { status: "error", output: shellText(fields) };
  if (name === "mcp" && fields?.["isError"] === true) return { status: "error", output: successText("mcp", value, {}) };
  return { status: "error", output: readErrorText(value) ?? describeArm(arm, fields) };
}

/** Forbidden by a rule or a mode, which is a refusal. What the system itself forbids is a failure of the call. */
function isDenial(arm: string, fields: JsonObject | undefined): boolean {
  if (arm !== "permissionDenied" && arm !== "writePermissionDenied") return false;
  return !/\b(?:EACCES|EPERM|EROFS)\b/.test(readErrorText(fields) ?? "");
}

function rejection(fields: JsonObject | undefined, value: unknown): string {
  const reason = readErrorText(fields ?? value) ?? "rejected";
  return skippedReason.test(reason) ? NO_INPUT_SURFACE : reason;
}

/** `fileNotFound` with a path becomes "file not found: the path". */
function describeArm(arm: string, fields: JsonObject | undefined): string {
  const words = arm.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const subject = wordField(fields, "path", "uri", "command", "url");
  return subject === undefined ? words : `${words}: ${subject}`;
}

/**
 * The change a file tool made. `streamContent` is never used as the file: for a replacement it is only the fragment, and writing it back
 * would destroy the rest.
 */
function toDiff(name: string, value: unknown, args: unknown): FileDiff | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = textField(value, "path", "deletedFile") ?? (isJsonObject(args) ? textField(args, "path") : undefined);
  if (path === undefined) return undefined;
  if (name === "delete") return withPresent({ path }, { before: textField(value, "prevContent") });
  if (name === "write" && isJsonObject(args)) return withPresent({ path }, { after: textField(args, "fileText") });
  if (name !== "edit") return undefined;
  return withPresent(
    { path },
    {
      before: textField(value, "beforeFullFileContent"),
      after: textField(value, "afterFullFileContent"),
      unified: wordField(value, "diffString"),
    },
  );
}

function withPresent(diff: FileDiff, fields: Readonly<Record<string, string | undefined>>): FileDiff {
  const present = Object.entries(fields).filter(([, text]) => text !== undefined);
  return { ...diff, ...Object.fromEntries(present) };
}

/** The only arm of a result union. `value` is usually an object, occasionally a bare value. */
export interface ResultArm {
  readonly name: string;
  readonly value: unknown;
  readonly isOk: boolean;
}

export function readArm(result: JsonObject): ResultArm | undefined {
  const names = Object.keys(result).filter((name) => !siblings.has(name) && isPresent(result[name]));
  const name = names.find(isOkName) ?? names.find((candidate) => isJsonObject(result[candidate])) ?? names[0];
  if (name === undefined) return undefined;
  const value = result[name];
  return { name, value, isOk: isOkName(name) && value !== false && !isToolError(value) };
}

function isOkName(name: string): boolean {
  return okArms.has(name) || name.endsWith("Success");
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** An MCP tool reports its own failure inside a success. */
function isToolError(value: unknown): boolean {
  return isJsonObject(value) && value["isError"] === true;
}
