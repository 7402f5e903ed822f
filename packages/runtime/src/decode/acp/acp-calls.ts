import { type FileDiff, isJsonObject, type JsonObject, type ToolKind } from "@caret/protocol";
import { objectField, objectsField, textField, wordField } from "../read-fields.ts";
import { toNamedInput, toolKind } from "../tools/tool-entry.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import { type Draft, isKnownCall, settleCall, startCall, type ToolCallEvent, type TurnState } from "../turn-draft.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  execute: "shell",
  read: "read",
  edit: "edit",
  delete: "edit",
  move: "edit",
  search: "search",
  fetch: "fetch",
};

/** Outputs that are failures: their status is `completed` even so. */
const failedArms = [
  "error",
  "rejected",
  "permissionDenied",
  "writePermissionDenied",
  "fileNotFound",
  "notFile",
  "spawnError",
  "timeout",
];

const NO_FILE = "-- /dev/null";

/**
 * A turn's tool calls. A call can be announced several times, and that of an MCP tool names neither server nor arguments at first: it is
 * shown once it does, or when its approval is requested or it is done.
 */
export class AcpCalls {
  /** Known fields of calls without a result yet. */
  readonly #known = new Map<string, JsonObject>();
  /** The task that the calls belong to. */
  readonly #parent: () => string | undefined;

  constructor(parent: () => string | undefined = () => undefined) {
    this.#parent = parent;
  }

  write(draft: Draft<TurnState>, update: JsonObject): void {
    const callId = textField(update, "toolCallId");
    if (callId === undefined || draft.settledCalls.includes(callId)) return;
    const known = this.#merge(callId, update);
    const status = textField(update, "status");
    const isDone = status === "completed" || status === "failed";
    if (isDone || !isUnnamed(known)) this.show(draft, { toolCallId: callId });
    if (!isDone) return;
    this.#known.delete(callId);
    settleCall(draft, { type: "tool-result", callId, ...outcomeOf(known, status) });
  }

  /** Shows the call from now on, whatever is known about it. */
  show(draft: Draft<TurnState>, toolCall: JsonObject): void {
    const callId = textField(toolCall, "toolCallId");
    if (callId === undefined || isKnownCall(draft, callId)) return;
    const parentCallId = this.#parent();
    const call = toToolCall(callId, this.#merge(callId, toolCall));
    startCall(draft, parentCallId === undefined ? call : { ...call, parentCallId });
  }

  /** The agent asks about a call: if it was announced but not shown, show it now. */
  showHeld(draft: Draft<TurnState>, toolCall: JsonObject): void {
    if (this.#known.has(textField(toolCall, "toolCallId") ?? "")) this.show(draft, toolCall);
  }

  showAll(draft: Draft<TurnState>): void {
    for (const toolCallId of this.#known.keys()) this.show(draft, { toolCallId });
  }

  #merge(callId: string, update: JsonObject): JsonObject {
    const before = this.#known.get(callId);
    const present = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const merged: JsonObject = { ...before, ...Object.fromEntries(present) };
    this.#known.set(callId, merged);
    return merged;
  }
}

function isUnnamed(call: JsonObject): boolean {
  const input = objectField(call, "rawInput");
  const isEmpty = input === undefined || Object.keys(input).length === 0;
  return isEmpty && (textField(call, "title") ?? "MCP:").startsWith("MCP:");
}

/** A call's name, arguments and purpose. */
export function toToolCall(callId: string, call: JsonObject): ToolCallEvent {
  const { _toolName, ...input } = objectField(call, "rawInput") ?? {};
  const title = wordField(call, "title");
  const mcp = mcpOf(input, title);
  if (mcp !== undefined) return { type: "tool-call", callId, ...mcp, kind: "mcp", owner: "agent" };
  const ownName = typeof _toolName === "string" && _toolName !== "" ? _toolName : undefined;
  const kind = (ownName === undefined ? undefined : toolKind(ownName)) ?? "other";
  const statedKind = kinds[textField(call, "kind") ?? ""] ?? "other";
  const named = toNamedInput(ownName ?? title ?? "unknown", input);
  const description = title === undefined ? {} : { description: title };
  return {
    type: "tool-call",
    callId,
    ...named,
    kind: kind === "other" ? statedKind : kind,
    owner: "agent",
    ...description,
  };
}

type McpCall = Pick<ToolCallEvent, "name" | "input"> & { readonly server?: string };

/** The MCP tool, by its arguments, else by its title: `server: tool`, or `server-server: tool` in a permission request. */
function mcpOf(input: JsonObject, title: string | undefined): McpCall | undefined {
  const server = wordField(input, "providerIdentifier", "serverIdentifier");
  const name = wordField(input, "toolName");
  if (server !== undefined && name !== undefined) return { server, name, input: input["args"] ?? {} };
  const [, prefix, tool] = /^([\w.-]+): ([\w.-]+)$/.exec(title ?? "") ?? [];
  if (prefix === undefined || tool === undefined) return undefined;
  return prefix === "MCP" ? { name: tool, input } : { server: saidOnce(prefix), name: tool, input };
}

/** `name-name` is `name`. */
function saidOnce(prefix: string): string {
  const half = prefix.slice(0, prefix.length >> 1);
  return half !== "" && prefix === `${half}-${half}` ? half : prefix;
}

function outcomeOf(call: JsonObject, status: string | undefined): ReturnType<typeof toOutcome> {
  const { name, input } = toToolCall("", call);
  const output = call["rawOutput"];
  const fields = isJsonObject(output) ? output : undefined;
  const isFailed = fields !== undefined && failedArms.some((arm) => isPresent(fields[arm]));
  const isPlain = fields === undefined || isFailed || "exitCode" in fields;
  const native = textField(objectField(call, "rawInput"), "_toolName");
  const outcome = toOutcome(native ?? name, isPlain ? output : { success: output }, input);
  const text = outcome.output === "" ? contentText(call) : outcome.output;
  const diff = diffOf(call);
  return {
    ...outcome,
    status: outcome.status === "ok" && status === "failed" ? "error" : outcome.status,
    output: text,
    ...(diff === undefined ? {} : { diff }),
  };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function contentText(call: JsonObject): string {
  return objectsField(call, "content")
    .map((item) => textField(objectField(item, "content"), "text") ?? "")
    .filter((text) => text !== "")
    .join("\n");
}

function diffOf(call: JsonObject): FileDiff | undefined {
  const diff = objectsField(call, "content").find((item) => item["type"] === "diff");
  const path = textField(diff, "path");
  if (diff === undefined || path === undefined) return undefined;
  const before = textField(diff, "oldText");
  const after = textField(diff, "newText");
  return {
    path,
    ...(before === undefined || before === NO_FILE ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
