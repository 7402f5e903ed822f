import { CaretError, type JsonObject } from "@caret/protocol";
import { type Dialect, draftDialect, type Ending } from "../dialect.ts";
import type { Frame } from "../framing/frame.ts";
import { writePlan } from "../plan-events.ts";
import { contentText, numberField, objectField, readErrorText, textField, wordField } from "../read-fields.ts";
import { readResultUsage } from "../read-usage.ts";
import { readToolEntry, type ToolEntry, toNamedInput, toolKind } from "../tools/tool-entry.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import {
  closeBlock,
  type Draft,
  endTurn,
  initialTurn,
  isKnownCall,
  keepUnknown,
  nameCall,
  remember,
  settleCall,
  startCall,
  type ToolCallEvent,
  type TurnState,
  writeText,
  writeThinking,
} from "../turn-draft.ts";

const SOURCE = "payload";

export interface PayloadState extends TurnState {
  readonly saidSomething: boolean;
}

type PayloadDraft = Draft<PayloadState>;

/** The event format with everything under `payload`. A line that is not an event is wrapped as `raw` and kept. */
export function payloadDialect(): Dialect<PayloadState> {
  return draftDialect({
    name: "payload",
    initial: { ...initialTurn, saidSomething: false },
    onFrame,
    onEnding,
  });
}

function onFrame(draft: PayloadDraft, frame: Frame): void {
  if (frame.kind === "object") return onObject(draft, frame.value);
  keepUnknown(draft, SOURCE, "raw", { type: "raw", data: frame.text });
}

const handlers: Readonly<Record<string, (draft: PayloadDraft, payload: JsonObject, event: JsonObject) => void>> = {
  system: onSystem,
  user: () => undefined,
  thinking: onThinking,
  assistant: onAssistant,
  tool_call: onToolCall,
  result: onResult,
  error: onError,
  raw: (draft, _payload, event) => keepUnknown(draft, SOURCE, "raw", event),
};

function onObject(draft: PayloadDraft, event: JsonObject): void {
  const type = textField(event, "type") ?? "untyped";
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  if (handler === undefined) return keepUnknown(draft, SOURCE, type, event);
  handler(draft, objectField(event, "payload") ?? {}, event);
}

function onSystem(draft: PayloadDraft, payload: JsonObject, event: JsonObject): void {
  if (event["subtype"] !== "init") return keepUnknown(draft, SOURCE, "system", event);
  const sessionId = wordField(payload, "session_id", "sessionId", "chatId");
  const model = wordField(payload, "model");
  const workspace = wordField(payload, "cwd", "workspace");
  draft.events.push({
    type: "session-ready",
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
    ...(workspace === undefined ? {} : { workspace }),
  });
}

function onThinking(draft: PayloadDraft, payload: JsonObject, event: JsonObject): void {
  const text = contentText(payload["content"] ?? payload["text"]);
  if (text !== "") writeThinking(draft, text);
  if (event["subtype"] !== "delta" && draft.block?.kind === "thinking") closeBlock(draft);
}

/** Each event is a complete message unless marked as a delta. */
function onAssistant(draft: PayloadDraft, payload: JsonObject, event: JsonObject): void {
  const text = contentText(objectField(payload, "message")?.["content"] ?? payload["content"]);
  if (text === "") return;
  writeText(draft, text);
  draft.saidSomething = true;
  if (event["subtype"] !== "delta") closeBlock(draft);
}

function onToolCall(draft: PayloadDraft, payload: JsonObject, event: JsonObject): void {
  const call = objectField(payload, "toolCall", "tool_call");
  const entry = readToolEntry(call);
  const callId = callIdOf(draft, event, call);
  if (event["subtype"] === "started") {
    closeBlock(draft);
    startCall(draft, toToolCall(callId, entry));
    if (toolOf(entry) === "createPlan") writePlan(draft, { callId, args: entry.args });
  } else if (event["subtype"] === "completed") onCompleted(draft, callId, entry);
  else keepUnknown(draft, SOURCE, `tool_call:${wordField(event, "subtype") ?? "none"}`, event);
}

function onCompleted(draft: PayloadDraft, callId: string, entry: ToolEntry): void {
  if (!isKnownCall(draft, callId)) startCall(draft, toToolCall(callId, entry));
  const started = draft.openCalls.get(callId);
  if (started === undefined) return;
  const name = toolOf(entry) ?? nativeName(started);
  if (name === "createPlan") writePlan(draft, { callId, args: entry.args ?? started.input, isLast: true });
  settleCall(draft, { type: "tool-result", callId, ...toOutcome(name, entry.result, entry.args ?? started.input) });
}

function toolOf({ native, name }: ToolEntry): string | undefined {
  return native ? name : undefined;
}

/** A completion has only id and result; the start named the tool. */
function nativeName(started: ToolCallEvent): string | undefined {
  return started.kind === "other" ? undefined : started.name;
}

function toToolCall(callId: string, entry: ToolEntry): ToolCallEvent {
  const name = entry.name ?? "unknown";
  const named = entry.native ? toNamedInput(name, entry.args) : { name, input: entry.args ?? {} };
  return { type: "tool-call", callId, ...named, kind: entry.native ? toolKind(name) : "other", owner: "agent" };
}

function callIdOf(draft: PayloadDraft, event: JsonObject, call: JsonObject | undefined): string {
  const givenId = wordField(call, "id", "toolCallId", "callId") ?? wordField(event, "call_id");
  if (givenId !== undefined) return givenId;
  const [only, ...others] = draft.openCalls.keys();
  if (event["subtype"] === "completed" && only !== undefined && others.length === 0) return only;
  return nameCall(draft);
}

function onResult(draft: PayloadDraft, payload: JsonObject, event: JsonObject): void {
  const exitCode = numberField(payload, "exitCode") ?? numberField(event, "exitCode") ?? 0;
  const failed =
    event["subtype"] === "error" || payload["is_error"] === true || event["is_error"] === true || exitCode !== 0;
  const usage = readResultUsage(payload) ?? readResultUsage(event);
  if (failed) {
    const words =
      readErrorText(payload["error"] ?? event["error"]) ?? readErrorText(payload["result"]) ?? draft.memory.lastError;
    const message = words ?? `The agent ended with exit code ${exitCode}`;
    return endTurn(draft, { kind: "failed", error: new CaretError("upstream-error", message).toInfo() }, usage);
  }
  const text = textField(payload, "result") ?? "";
  if (!draft.saidSomething && text !== "") writeText(draft, text);
  endTurn(draft, { kind: "completed" }, usage);
}

function onError(draft: PayloadDraft, payload: JsonObject, event: JsonObject): void {
  const { type, subtype, ...words } = event;
  remember(draft, { lastError: readErrorText(payload) ?? readErrorText(words) ?? "The agent reported an error" });
}

function onEnding(draft: PayloadDraft, ending: Ending): void {
  if (ending.kind !== "end-of-stream") return endTurn(draft, ending);
  const error =
    draft.memory.lastError === undefined
      ? new CaretError("no-result", "The agent's output ended without a result")
      : new CaretError("upstream-error", draft.memory.lastError);
  endTurn(draft, { kind: "failed", error: error.toInfo() });
}
