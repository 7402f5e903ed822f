import { addUsage, CaretError, type JsonObject } from "@caret/protocol";
import { visibleName } from "../../models/parse-model-list.ts";
import {
  initialText,
  isSpeaking,
  onDelta,
  onDeltas,
  onFlush,
  onRetry,
  releaseText,
  shownAfter,
  type TextState,
} from "../assistant-text.ts";
import { type Dialect, draftDialect, type Ending } from "../dialect.ts";
import type { Frame } from "../framing/frame.ts";
import { contentText, numberField, objectField, readErrorText, textField, wordField } from "../read-fields.ts";
import { readUsage } from "../read-usage.ts";
import { closeBlock, type Draft, endTurn, initialTurn, keepUnknown, remember, writeThinking } from "../turn-draft.ts";
import { onInteractionQuery } from "./interaction-query.ts";
import { openLongLine } from "./long-lines.ts";
import { quickDelta, quickTexts } from "./quick-delta.ts";
import { onToolCall } from "./tool-calls.ts";
import { onResult } from "./turn-result.ts";

const SOURCE = "stream-json";

/**
 * The official CLI's stream, in every known version. `partial` says whether partial output was requested: it decides which of the four
 * forms of an assistant line are text and which repeat it, and cannot be inferred from them.
 */
export function streamJsonDialect({ partial }: { readonly partial: boolean }): Dialect<StreamJsonState> {
  return draftDialect<StreamJsonState>({
    name: "stream-json",
    initial: initialStreamJson(partial),
    quickFrame: quickDelta,
    openLongLine,
    onFrame,
    onFrames,
    more,
    onEnding,
  });
}

/** Consecutive text deltas, which neither end a turn nor start anything, are handled together. */
function onFrames(draft: StreamJsonDraft, frames: readonly Frame[]): void {
  let texts: string[] = [];
  for (const frame of frames) {
    if (frame.kind === "text-delta" && draft.partial) texts.push(frame.text);
    else {
      onDeltas(draft, texts);
      texts = [];
      onFrame(draft, frame);
    }
  }
  onDeltas(draft, texts);
}

function more(state: StreamJsonState, run: string) {
  const { block, partial, sessionId } = state;
  if (block === undefined || !partial || !isSpeaking(state)) return undefined;
  const text = quickTexts(run, sessionId);
  const shown = text === undefined || text === "" ? undefined : shownAfter(state.shown, text);
  if (text === undefined || shown === undefined) return undefined;
  return [
    { ...state, shown, events: [] },
    { type: "text-delta", blockId: block.blockId, text },
  ] as const;
}

function onFrame(draft: StreamJsonDraft, frame: Frame): void {
  switch (frame.kind) {
    case "text-delta":
      return onTimedText(draft, frame.text);
    case "thinking-delta":
      return onThinkingDelta(draft, frame.text, frame.at);
    case "object":
      return onObject(draft, frame.value);
    case "noise":
      return keepUnknown(draft, SOURCE, "noise", frame.text);
    case "malformed":
      return keepUnknown(draft, SOURCE, "malformed", frame.text);
  }
}

const handlers: Readonly<Record<string, (draft: StreamJsonDraft, event: JsonObject) => void>> = {
  system: onSystem,
  user: () => undefined, // an echo of the prompt, never forwarded
  assistant: onAssistant,
  thinking: onThinking,
  tool_call: onToolCall,
  interaction_query: onInteractionQuery,
  connection: onConnection,
  retry: onRetryEvent,
  result: onResult,
  error: onError,
  step_finish: onStepFinish,
};

function onObject(draft: StreamJsonDraft, event: JsonObject): void {
  const type = textField(event, "type");
  if (type === undefined)
    return event["error"] === undefined ? keepTyped(draft, event, "untyped") : onError(draft, event);
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  if (handler === undefined) return keepTyped(draft, event, type);
  return handler(draft, event);
}

function keepTyped(draft: StreamJsonDraft, event: JsonObject, type: string): void {
  const subtype = wordField(event, "subtype");
  keepUnknown(draft, SOURCE, subtype === undefined ? type : `${type}:${subtype}`, event);
}

/** Four forms of one type, distinguished by two fields; the mode decides which are text. */
function onAssistant(draft: StreamJsonDraft, event: JsonObject): void {
  const message = objectField(event, "message");
  const text = contentText(message === undefined ? event["content"] : message["content"]);
  const isTimed = event["timestamp_ms"] !== undefined && wordField(event, "model_call_id") === undefined;
  if (isTimed) onTimedText(draft, text);
  else onFlush(draft, text);
}

/** Timed and without a model call: a delta with partial output, otherwise the flush before a query or retry. */
function onTimedText(draft: StreamJsonDraft, text: string): void {
  if (draft.partial) onDelta(draft, text);
  else onFlush(draft, text);
}

function onThinking(draft: StreamJsonDraft, event: JsonObject): void {
  const at = numberField(event, "timestamp_ms");
  if (event["subtype"] === "completed") return endThinking(draft, at);
  onThinkingDelta(draft, textField(event, "text") ?? "", at);
}

function onThinkingDelta(draft: StreamJsonDraft, text: string, at: number | undefined): void {
  if (text === "") return;
  releaseText(draft);
  if (draft.block?.kind !== "thinking") draft.thinkingSince = at;
  writeThinking(draft, text);
}

function endThinking(draft: StreamJsonDraft, at: number | undefined): void {
  if (draft.block?.kind !== "thinking") return;
  const since = draft.thinkingSince;
  closeBlock(draft, at === undefined || since === undefined || at < since ? undefined : at - since);
}

function onSystem(draft: StreamJsonDraft, event: JsonObject): void {
  switch (event["subtype"]) {
    case "init":
      return onInit(draft, event);
    case "task_notification":
    case "background_shell_timeout":
      return onBackground(draft, event);
    default:
      return keepTyped(draft, event, "system");
  }
}

function onInit(draft: StreamJsonDraft, event: JsonObject): void {
  const sessionId = wordField(event, "session_id");
  if (draft.sessionId !== undefined && sessionId !== draft.sessionId) {
    const message = `The agent changed its session id in mid-turn, from ${draft.sessionId} to ${sessionId ?? "none"}`;
    draft.events.push({ type: "notice", kind: "drift", message });
    return;
  }
  draft.sessionId = sessionId;
  const model = visibleName(wordField(event, "model") ?? "") || undefined;
  const workspace = wordField(event, "cwd");
  draft.events.push({
    type: "session-ready",
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
    ...(workspace === undefined ? {} : { workspace }),
  });
}

function onBackground(draft: StreamJsonDraft, event: JsonObject): void {
  const { type, session_id, timestamp_ms, ...detail } = event;
  const message = stoppedCommands(event) ?? finishedTask(event);
  draft.events.push({ type: "notice", kind: "background-task", message, detail });
}

function finishedTask(event: JsonObject): string {
  const title = wordField(event, "title", "task_id") ?? "a background task";
  const status =
    wordField(event, "status") ?? (event["subtype"] === "background_shell_timeout" ? "timed out" : "ended");
  return `${title}: ${status}`;
}

/** Background commands that print mode stopped waiting for. */
function stoppedCommands(event: JsonObject): string | undefined {
  const count = numberField(event, "aborted_count");
  const limitMs = numberField(event, "timeout_ms");
  if (count === undefined) return undefined;
  const after = limitMs === undefined ? "" : ` after ${limitMs / 1_000} s`;
  return `${count} ${count === 1 ? "command" : "commands"} in the background stopped${after}`;
}

function onConnection(draft: StreamJsonDraft, event: JsonObject): void {
  draft.events.push(toNotice("reconnect", event));
}

function onRetryEvent(draft: StreamJsonDraft, event: JsonObject): void {
  onRetry(draft);
  draft.events.push(toNotice("retry", event));
}

function toNotice(kind: "reconnect" | "retry", event: JsonObject) {
  const { type, session_id, timestamp_ms, ...detail } = event;
  const attempt = numberField(event, "attempt");
  const words =
    wordField(event, "message") ?? `${kind === "retry" ? "Retry" : "Connection"} ${wordField(event, "subtype") ?? ""}`;
  const message = attempt === undefined ? words.trim() : `${words.trim()} (attempt ${attempt})`;
  return { type: "notice", kind, message, detail } as const;
}

function onError(draft: StreamJsonDraft, event: JsonObject): void {
  remember(draft, { lastError: readErrorText(event) ?? "The agent reported an error" });
}

function onStepFinish(draft: StreamJsonDraft, event: JsonObject): void {
  const part = objectField(event, "part") ?? event;
  const used = readUsage(part["tokens"] ?? part["usage"] ?? part);
  remember(draft, { stepUsage: addUsage(draft.memory.stepUsage, used) });
}

/** A stream that ends without a result has failed, whatever the exit code says. */
function onEnding(draft: StreamJsonDraft, ending: Ending): void {
  releaseText(draft);
  if (ending.kind === "cancelled") return endTurn(draft, ending, draft.memory.stepUsage);
  const error = ending.kind === "failed" ? ending.error : withoutResult(draft).toInfo();
  endTurn(draft, { kind: "failed", error }, draft.memory.stepUsage);
}

function withoutResult({ memory: { lastError } }: StreamJsonDraft): CaretError {
  if (lastError !== undefined) return new CaretError("upstream-error", lastError);
  return new CaretError("no-result", "The agent's output ended without a result");
}

interface StreamJsonState extends TextState {
  readonly sessionId: string | undefined;
  /** Timestamp of the open thinking block's first delta. */
  readonly thinkingSince: number | undefined;
}

export type StreamJsonDraft = Draft<StreamJsonState>;

export function initialStreamJson(partial: boolean): StreamJsonState {
  return {
    ...initialTurn,
    ...initialText,
    partial,
    sessionId: undefined,
    thinkingSince: undefined,
  };
}
