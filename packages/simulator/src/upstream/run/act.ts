import { posix } from "node:path";
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type ToolCall, ToolCallSchema } from "@caret/protocol/agent-api/tool-call";
import { isRecord } from "../../json/json.ts";
import type { ExecAnswer, RunLink } from "./run-link.ts";

/** What came of a call: the result as the wire shows it, and what the model reads. */
export interface ActOutcome {
  readonly result: JsonObject;
  readonly ok: boolean;
  readonly output: string;
}

/** A call as the wire shows it, ready to be carried out by the client. */
export interface PreparedAct {
  /** The field of ToolCall, as JSON spells it: `shellToolCall`. */
  readonly key: string;
  readonly args: JsonObject;
  readonly run: () => Promise<ActOutcome>;
}

export interface ActContext {
  readonly link: RunLink;
  readonly workspace: string;
  readonly toolCallId: string;
  readonly conversationId: string;
  readonly modelId: string;
}

export type Args = Readonly<Record<string, unknown>>;
export type Act = (args: Args, context: ActContext) => PreparedAct;

/** The message that shows a call, with its result once there is one. */
export function toToolCall({ key, args }: PreparedAct, toolCallId: string, result?: JsonObject): ToolCall {
  const json = { [key]: { args, ...(result === undefined ? {} : { result }) }, toolCallId };
  return fromJson(ToolCallSchema, json, { ignoreUnknownFields: true });
}

export function text(args: Args, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

/** Copies the named arguments that JSON can hold and that are there. */
export function pick(args: Args, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => args[name] !== undefined).map((name) => [name, args[name] as JsonValue]),
  );
}

export function absolutePath(path: string, workspace: string): string {
  return posix.isAbsolute(path) ? path : posix.join(workspace, path);
}

/** The arm of a result by its name; undefined where the result has another. */
export function arm(result: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  let at: unknown = result;
  for (const name of path) at = isRecord(at) ? at[name] : undefined;
  return isRecord(at) ? (at as JsonObject) : undefined;
}

/** The result of an exec under its key; an answer without one becomes the words for it. */
export function resultOf(answer: ExecAnswer, key: string): JsonObject | string {
  if (answer.kind === "thrown") return answer.error;
  if (answer.kind === "closed") return "The client closed the exec without a result";
  return (
    arm(answer.result, key) ??
    `The client answered with ${Object.keys(answer.result)[0] ?? "nothing"} instead of ${key}`
  );
}

/** What is wrong, from whichever arm says so. */
export function reasonOf(result: JsonObject): string {
  const [name = "nothing"] = Object.keys(result);
  const { error, reason, errorMessage } = arm(result, name) ?? {};
  const words = error ?? reason ?? errorMessage;
  return typeof words === "string" && words !== "" ? words : `The client answered: ${name}`;
}

/** The objects of a list; nothing where there is no list. */
export function records(value: unknown): readonly Args[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];
}
