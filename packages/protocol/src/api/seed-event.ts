import type { AgentEvent, AgentEventOf } from "../events/agent-event.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json/json.ts";
import type { EventEnvelope } from "./session-view.ts";

/** The content of one agent line, in the shape of `SeedEvent`. */
interface SeedLine {
  readonly type: string;
  readonly subtype?: string;
  readonly payload: unknown;
}

/** An event in the shape in which web pages for the agent's own stream store it: type, subtype, payload and the raw line. */
export interface SeedEvent extends SeedLine {
  /** Unique across chats. The part after the last colon is the event's `seq`. */
  readonly id: string;
  readonly chatId: string;
  readonly timestamp: number;
  /** The agent's line; for an event without one, an equivalent line. */
  readonly raw: string;
}

const EXIT_CANCELLED = 130;

/**
 * Converts one event to the stored shape. An event with a raw line keeps that line's type; any other gets the closest match.
 *
 * Text and thinking come from their deltas alone, so a reader that joins them gets the text once: the raw lines of a block's start and end
 * repeat it.
 */
export function toSeedEvent({ sessionId, seq, at, event, raw, rawCut }: EventEnvelope): SeedEvent {
  const whole = rawCut === true ? undefined : raw;
  const line = lineOf(event, whole);
  return { id: `${sessionId}:${seq}`, chatId: sessionId, timestamp: at, ...line, raw: whole ?? JSON.stringify(line) };
}

function lineOf(event: AgentEvent, raw: string | undefined): SeedLine {
  const block = blockLine(event);
  if (block !== undefined) return block;
  if (raw === undefined) return closestLine(event);
  const said = readLine(parseJson(raw));
  if (said !== undefined) return said;
  // A line that is not JSON but was understood (a framed one, say) is better represented by its event.
  return event.type === "unknown" || event.type === "notice" ? unreadable(raw) : closestLine(event);
}

function blockLine(event: AgentEvent): SeedLine | undefined {
  switch (event.type) {
    case "text-start":
    case "text-end":
      return assistant("");
    case "text-delta":
      return assistant(event.text);
    case "thinking-start":
      return { type: "thinking", subtype: "started", payload: { content: "" } };
    case "thinking-delta":
      return { type: "thinking", subtype: "delta", payload: { content: event.text } };
    case "thinking-end":
      return { type: "thinking", subtype: "completed", payload: { content: "" } };
    default:
      return undefined;
  }
}

function assistant(text: string): SeedLine {
  return { type: "assistant", payload: { message: { content: text === "" ? [] : [{ type: "text", text }] } } };
}

/** The CLI's own lines have no `payload`: the whole line is the payload. */
function readLine(line: unknown): SeedLine | undefined {
  if (!isJsonObject(line) || typeof line["type"] !== "string") return undefined;
  const { type, subtype, payload = line } = line;
  return { type, ...(typeof subtype === "string" ? { subtype } : {}), payload };
}

function closestLine(event: AgentEvent): SeedLine {
  switch (event.type) {
    case "turn-start":
      return { type: "user", payload: { prompt: event.prompt ?? "" } };
    case "session-ready":
      return { type: "system", subtype: "init", payload: without(event) };
    case "tool-call":
      return startedLine(event);
    case "tool-result":
      return completedLine(event);
    case "turn-end":
      return resultLine(event.outcome);
    case "notice":
      return event.kind === "error" ? failure(event.message) : { type: "notice", payload: without(event) };
    case "unknown":
      return readLine(event.value) ?? unreadable(toText(event.value));
    default:
      return { type: event.type, payload: without(event) };
  }
}

function startedLine({ callId, name, kind, input }: AgentEventOf<"tool-call">): SeedLine {
  const entry = { [`${kind === "other" ? name : kind}ToolCall`]: { name, args: input } };
  return { type: "tool_call", subtype: "started", payload: { toolCall: { id: callId, ...entry } } };
}

function completedLine({ callId, status, output, exitCode }: AgentEventOf<"tool-result">): SeedLine {
  const result =
    exitCode === undefined ? { success: status === "ok", status, output } : { exitCode, stdout: output, stderr: "" };
  return { type: "tool_call", subtype: "completed", payload: { toolCall: { id: callId, result } } };
}

function resultLine(outcome: AgentEventOf<"turn-end">["outcome"]): SeedLine {
  if (outcome.kind === "completed")
    return { type: "result", subtype: "success", payload: { exitCode: 0, is_error: false } };
  const { exitCode, message } =
    outcome.kind === "failed"
      ? { exitCode: 1, message: outcome.error.message }
      : { exitCode: EXIT_CANCELLED, message: "The turn was cancelled" };
  const { payload } = failure(message);
  return { type: "result", subtype: "error", payload: { ...payload, exitCode, is_error: true } };
}

function failure(message: string): SeedLine & { readonly payload: JsonObject } {
  return { type: "error", payload: { type: "error", message } };
}

function unreadable(data: string): SeedLine {
  return { type: "raw", payload: { type: "raw", data } };
}

function without({ type, ...rest }: AgentEvent): JsonObject {
  return rest;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
