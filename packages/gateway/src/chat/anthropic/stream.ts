import type { AgentEvent, AgentEventOf, ErrorInfo, TurnOutcome, Usage } from "@caret/protocol";
import { type ActivityDisplay, activityText } from "../activity-text.ts";
import { type AnswerCount, usageOfAnswer } from "../answer-usage.ts";
import { weightOf } from "../text-weight.ts";
import { toAnthropicError } from "./errors.ts";
import type { MessageEnd } from "./follow-turn.ts";
import { toAnthropicUsage } from "./usage.ts";

export const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
const MESSAGE_STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

export interface MessageStreamOptions {
  readonly id: string;
  readonly model: string;
  readonly count: AnswerCount;
  readonly showActivity: ActivityDisplay;
}

/**
 * Turns a turn's events into the text of an Anthropic stream.
 *
 * A stream is `start`, any number of `push`, and one `finish`; each returns what to write, possibly nothing. On the wire
 * one block is open at a time. It is opened by the first thing that needs it and closed by the first that needs another,
 * so an agent's tool call in the middle of a text only splits that text.
 *
 * A failure after the beginning is told as `event: error`, followed by the normal end. Anthropic's own clients throw at
 * the error and read no further; the ones that read on (the AI SDK, hence OpenCode) would send the request for ever
 * without a `stop_reason` and a `message_stop`.
 */
export interface MessageStream {
  start(): string;
  push(events: readonly AgentEvent[]): string;
  /** Calls that wait for the client. With any, a stream that stops without an outcome ends in `tool_use`. */
  readonly parkedCalls: number;
  /** The turn's end, once `push` has seen it. */
  readonly outcome: TurnOutcome | undefined;
  finish(end: MessageEnd): string;
}

type BlockKind = "text" | "thinking" | "activity";

export function createMessageStream(options: MessageStreamOptions): MessageStream {
  const { count, showActivity } = options;
  const wire = createBlockWriter();
  const parked = new Set<string>();
  let usage: Usage | undefined;
  let outcome: TurnOutcome | undefined;

  function activity(event: AgentEvent): string {
    if (showActivity === "none") return "";
    const text = activityText(event);
    if (text === undefined) return "";
    if (showActivity === "reasoning") return wire.delta("activity", text);
    return wire.delta("text", wire.isOpen("text") ? `\n${text}` : text);
  }

  function call(event: AgentEventOf<"tool-call">): string {
    if (event.owner !== "client") return activity(event);
    parked.add(event.callId);
    return wire.call(event);
  }

  function result(event: AgentEventOf<"tool-result">): string {
    // What became of a call of the client's own, the client knows.
    return parked.delete(event.callId) ? "" : activity(event);
  }

  function step(event: AgentEvent): string {
    switch (event.type) {
      case "text-delta":
        return wire.delta("text", event.text);
      case "thinking-delta":
        return wire.delta("thinking", event.text);
      case "text-end":
      case "thinking-end":
        return wire.close();
      case "tool-call":
        return call(event);
      case "tool-result":
        return result(event);
      case "plan":
        // The answer of a turn that only plans, and nothing else repeats it: a text block of its own.
        return wire.close() + wire.delta("text", event.text) + wire.close();
      case "usage":
        usage = event.usage;
        return "";
      case "turn-end":
        outcome = event.outcome;
        return "";
      default:
        return activity(event);
    }
  }

  return {
    start: () => messageStart(options),
    push(events) {
      let text = "";
      for (const event of events) text += step(event);
      return text;
    },
    get parkedCalls() {
      return parked.size;
    },
    get outcome() {
      return outcome;
    },
    finish(end) {
      const used = toAnthropicUsage(usageOfAnswer(count, usage, wire.weight));
      const last = { type: "message_delta", delta: toStop(end), usage: used };
      return `${wire.close()}${failureOf(end, wire.hasBegun)}${sse("message_delta", last)}${MESSAGE_STOP}`;
    },
  };
}

export interface Stop {
  readonly stop_reason: "end_turn" | "tool_use" | "max_tokens" | "stop_sequence";
  readonly stop_sequence: string | null;
}

export function toStop(end: MessageEnd): Stop {
  if (end === "parked") return { stop_reason: "tool_use", stop_sequence: null };
  if (end.kind !== "cut") return { stop_reason: "end_turn", stop_sequence: null };
  if (end.cut.kind === "length") return { stop_reason: "max_tokens", stop_sequence: null };
  return { stop_reason: "stop_sequence", stop_sequence: end.cut.sequence };
}

/** The stream's error for an end that is none of success. */
function failureOf(end: MessageEnd, isBegun: boolean): string {
  if (end === "parked" || end.kind === "completed" || end.kind === "cut") return "";
  return sse("error", toAnthropicError(end.kind === "failed" ? end.error : cancelledInfo, isBegun));
}

export const cancelledInfo: ErrorInfo = {
  code: "cancelled",
  message: "The turn was cancelled.",
  retryable: false,
  fix: "Send the request again if it was not meant to be.",
};

/** What went in is an estimate here: upstream tells at the end. */
function messageStart({ id, model, count }: MessageStreamOptions): string {
  const usage = toAnthropicUsage(usageOfAnswer(count, undefined, 0));
  const message = {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  return sse("message_start", { type: "message_start", message: { ...message, usage } });
}

function sse(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Opens and closes blocks, numbers them, and writes deltas with a head that is made once per block. */
function createBlockWriter() {
  let next = 0;
  let open: { readonly kind: BlockKind; readonly head: string } | undefined;
  let weight = 0;

  function close(): string {
    if (open === undefined) return "";
    open = undefined;
    return sse("content_block_stop", { type: "content_block_stop", index: next - 1 });
  }

  function start(block: unknown): string {
    const text = sse("content_block_start", { type: "content_block_start", index: next, content_block: block });
    next += 1;
    return text;
  }

  return {
    get hasBegun() {
      return next > 0;
    },
    get weight() {
      return weight;
    },
    isOpen: (kind: BlockKind) => open?.kind === kind,
    close,
    delta(kind: BlockKind, text: string): string {
      if (text === "") return "";
      weight += weightOf(text);
      const tail = `${JSON.stringify(text)}}}\n\n`;
      if (open?.kind === kind) return `${open.head}${tail}`;
      const closed = close();
      const started = start(emptyBlock(kind));
      const head = deltaHead(kind, next - 1);
      open = { kind, head };
      return `${closed}${started}${head}${tail}`;
    },
    call({ callId, name, input }: AgentEventOf<"tool-call">): string {
      const json = JSON.stringify(input ?? {});
      weight += weightOf(name) + weightOf(json);
      const closed = close();
      const started = start({ type: "tool_use", id: callId, name, input: {} });
      const index = next - 1;
      const delta = { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } };
      const stopped = sse("content_block_stop", { type: "content_block_stop", index });
      return `${closed}${started}${sse("content_block_delta", delta)}${stopped}`;
    },
  };
}

function emptyBlock(kind: BlockKind): unknown {
  return kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
}

function deltaHead(kind: BlockKind, index: number): string {
  const field = kind === "text" ? '"text_delta","text":' : '"thinking_delta","thinking":';
  const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index}`;
  return `${head},"delta":{"type":${field}`;
}
