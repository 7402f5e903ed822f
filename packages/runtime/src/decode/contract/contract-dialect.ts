import {
  CaretError,
  type ErrorCode,
  isJsonObject,
  type JsonObject,
  type Owner,
  type TurnOutcome,
} from "@caret/protocol";
import {
  initialText,
  onCertainDelta,
  onDelta,
  onFlush,
  onHardBoundary,
  onWholeText,
  releaseText,
  type TextState,
} from "../assistant-text.ts";
import { type Dialect, draftDialect, type Ending } from "../dialect.ts";
import type { Frame } from "../framing/frame.ts";
import { contentText, objectField, readErrorText, textField, wordField } from "../read-fields.ts";
import { readResultUsage, readUsage } from "../read-usage.ts";
import { readToolEntry } from "../tools/tool-entry.ts";
import { type Draft, endTurn, initialTurn, keepUnknown, startCall } from "../turn-draft.ts";

const SOURCE = "contract";
const SUPPORTED_VERSIONS: readonly string[] = ["1.0"];

export interface ContractState extends TextState {
  /** Who runs the calls this agent makes. */
  readonly owner: Owner;
  /** Number of client-visible events: an exit without `done` counts as an end only after one of them. */
  readonly forwarded: number;
  readonly callCount: number;
}

type ContractDraft = Draft<ContractState>;

/**
 * The contract of custom CLIs: `{ type, data }`, checked strictly. A frame that breaks it fails the turn at once, since a program that
 * departs from the contract cannot be trusted with what it says next.
 */
export function contractDialect({ owner = "gateway" }: { readonly owner?: Owner } = {}): Dialect<ContractState> {
  return draftDialect({
    name: "contract",
    initial: { ...initialTurn, ...initialText, partial: true, owner, forwarded: 0, callCount: 0 },
    onFrame,
    onEnding,
  });
}

function onFrame(draft: ContractDraft, frame: Frame): void {
  if (frame.kind === "object") return onObject(draft, frame.value);
  if (frame.kind === "malformed") return violate(draft, `a malformed frame (${frame.reason})`);
  return violate(draft, "a line that is no JSON object");
}

type Handler = (draft: ContractDraft, data: JsonObject, event: JsonObject) => void;

/** Frames defined by the contract, which carry their content in `data`. */
const dataHandlers: Readonly<Record<string, Handler>> = {
  protocol: onProtocol,
  assistant_delta: onAssistantDelta,
  tool_call: onToolCall,
  usage: onUsage,
  error: onError,
  done: onDone,
};

/** The official CLI's equivalents: text and end are used, annotations are not forwarded. */
const cliHandlers: Readonly<Record<string, (draft: ContractDraft, event: JsonObject) => void>> = {
  assistant: onAssistant,
  result: onResult,
  system: () => undefined,
  user: () => undefined,
  thinking: () => undefined,
  interaction_query: () => undefined,
};

function onObject(draft: ContractDraft, event: JsonObject): void {
  const type = textField(event, "type");
  if (type === undefined) return violate(draft, "an event without a type");
  const cliHandler = Object.hasOwn(cliHandlers, type) ? cliHandlers[type] : undefined;
  if (cliHandler !== undefined) return cliHandler(draft, event);
  const data = objectField(event, "data");
  if (type === "tool_call") return onToolCall(draft, data ?? {}, event);
  if (data === undefined) return violate(draft, `a ${type} event without data`);
  const handler = Object.hasOwn(dataHandlers, type) ? dataHandlers[type] : undefined;
  if (handler === undefined) return keepUnknown(draft, SOURCE, type, event);
  return handler(draft, data, event);
}

function onProtocol(draft: ContractDraft, data: JsonObject): void {
  const version = data["version"];
  if (version === undefined || SUPPORTED_VERSIONS.includes(String(version))) return;
  const message = `The agent speaks protocol version ${String(version)}; supported: ${SUPPORTED_VERSIONS.join(", ")}`;
  fail(draft, new CaretError("protocol-drift", message));
}

function onAssistantDelta(draft: ContractDraft, data: JsonObject): void {
  const text = textField(data, "content");
  if (text === undefined) return violate(draft, "an assistant_delta without text content");
  draft.forwarded += 1;
  onCertainDelta(draft, text);
}

function onToolCall(draft: ContractDraft, data: JsonObject, event: JsonObject): void {
  const nested = objectField(event, "tool_call") ?? objectField(data, "tool_call");
  const entry = readToolEntry(nested ?? data);
  if (entry.native) return; // the official CLI runs these itself; they are not calls for us
  if (entry.name === undefined) return violate(draft, "a tool_call without a name");
  if (entry.args !== undefined && !isJsonObject(entry.args)) return violate(draft, "tool arguments that are no object");
  onHardBoundary(draft);
  draft.forwarded += 1;
  draft.callCount += 1;
  const givenId =
    wordField(data, "id", "callId", "call_id") ?? wordField(event, "call_id", "id") ?? wordField(nested, "id");
  startCall(draft, {
    type: "tool-call",
    callId: givenId ?? `call-${draft.callCount}`,
    name: entry.name,
    kind: "other",
    input: entry.args ?? {},
    owner: draft.owner,
  });
}

function onUsage(draft: ContractDraft, data: JsonObject): void {
  const usage = readUsage(data);
  if (usage === undefined) return violate(draft, "a usage event without counts");
  draft.events.push({ type: "usage", usage });
}

const codePatterns: readonly (readonly [RegExp, ErrorCode])[] = [
  [/AUTH|LOGIN|TOKEN|CREDENTIAL/i, "not-logged-in"],
  [/RATE/i, "rate-limited"],
  [/QUOTA|USAGE|LIMIT/i, "usage-limit"],
  [/MODEL.{0,64}(?:NOT|UNKNOWN|INVALID)|UNKNOWN_MODEL/i, "model-unknown"],
  [/TIMEOUT|DEADLINE/i, "timed-out"],
  [/NETWORK|TRANSPORT|CONNECT|UNAVAILABLE/i, "upstream-unreachable"],
];

function onError(draft: ContractDraft, data: JsonObject): void {
  const code = wordField(data, "code") ?? "";
  const message = readErrorText(data) ?? "The agent reported an error";
  const [, known] = codePatterns.find(([pattern]) => pattern.test(code)) ?? [undefined, "upstream-error" as const];
  const upstream = code === "" ? message : `${code}: ${message}`;
  fail(draft, new CaretError(known, message, { upstream }));
}

function onDone(draft: ContractDraft, data: JsonObject): void {
  const reason = wordField(data, "finishReason", "finish_reason");
  if (reason === "cancelled" || reason === "canceled") return end(draft, { kind: "cancelled" });
  if (reason === "error")
    return fail(draft, new CaretError("upstream-error", "The agent ended its turn with an error"));
  end(draft, { kind: "completed" });
}

function onAssistant(draft: ContractDraft, event: JsonObject): void {
  const text = contentText(objectField(event, "message")?.["content"] ?? event["content"]);
  draft.forwarded += 1;
  const isDelta = event["timestamp_ms"] !== undefined && wordField(event, "model_call_id") === undefined;
  if (isDelta) onDelta(draft, text);
  else onFlush(draft, text);
}

function onResult(draft: ContractDraft, event: JsonObject): void {
  const failed = event["is_error"] === true || event["subtype"] === "error";
  const text = textField(event, "result") ?? "";
  if (failed)
    return fail(
      draft,
      new CaretError("upstream-error", readErrorText(event["error"]) ?? (text || "The agent reported an error")),
    );
  onWholeText(draft, text);
  endTurn(draft, { kind: "completed" }, readResultUsage(event));
}

/** An exit without `done` is an end only if something was said before it. */
function onEnding(draft: ContractDraft, ending: Ending): void {
  if (ending.kind === "failed") return end(draft, ending);
  if (ending.kind === "cancelled") return end(draft, ending);
  if (draft.forwarded > 0) return end(draft, { kind: "completed" });
  fail(draft, new CaretError("no-result", "The agent ended without saying anything"));
}

function violate(draft: ContractDraft, what: string): void {
  fail(draft, new CaretError("protocol-violation", `The agent sent ${what}`));
}

function fail(draft: ContractDraft, error: CaretError): void {
  end(draft, { kind: "failed", error: error.toInfo() });
}

function end(draft: ContractDraft, outcome: TurnOutcome): void {
  releaseText(draft);
  endTurn(draft, outcome);
}
