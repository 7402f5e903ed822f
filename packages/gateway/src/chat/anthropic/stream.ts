import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { AnswerDisplay } from "../activity-text.ts";
import { type AnswerPiece, AnswerReader, type ClientCall } from "../answer-reader.ts";
import { type AnswerCount, usageOfAnswer } from "../answer-usage.ts";
import type { AnswerEnding, AnswerStream } from "../serve-answer.ts";
import type { Cut } from "../stop-matcher.ts";
import { toAnthropicError } from "./errors.ts";
import { toAnthropicUsage, toMessageUsage } from "./usage.ts";

export const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
/** Fields of Anthropic's servers that have no meaning here. */
export const NOT_KEPT = { container: null, diagnostics: null } as const;
const MESSAGE_STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

export interface MessageStreamOptions {
  readonly id: string;
  readonly model: string;
  readonly count: AnswerCount;
  readonly showActivity: AnswerDisplay;
}

type BlockKind = "text" | "thinking";

/**
 * The events of an Anthropic stream: `message_start`, content blocks one after the other, `message_delta` with the stop reason and the
 * usage, `message_stop`. The first piece that needs a block opens it, and the first that needs another closes it, so an agent's tool call
 * in the middle of a text block only splits that block.
 *
 * A failure after the start is sent as `event: error`, followed by the normal end. Anthropic's own clients throw at the error and read no
 * further; those that read on (the AI SDK, hence OpenCode) would repeat the request forever without a `stop_reason` and a `message_stop`.
 */
export class MessageStream implements AnswerStream {
  readonly #options: MessageStreamOptions;
  readonly #reader: AnswerReader;
  /** The index of the next block. */
  #next = 0;
  /** `head` is the start of each delta of the block. */
  #open: { readonly kind: BlockKind; readonly head: string } | undefined;

  constructor(options: MessageStreamOptions) {
    this.#options = options;
    this.#reader = new AnswerReader(options.showActivity);
  }

  get outcome(): TurnOutcome | undefined {
    return this.#reader.outcome;
  }

  get calls(): number {
    return this.#reader.calls;
  }

  /** The input tokens are an estimate here: upstream reports them at the end. */
  start(): string {
    const { id, model, count } = this.#options;
    const usage = toMessageUsage(usageOfAnswer(count, undefined, 0));
    const stop = { stop_reason: null, stop_sequence: null, stop_details: null };
    const message = { id, type: "message", role: "assistant", model, content: [], ...stop, ...NOT_KEPT, usage };
    return sse("message_start", { message });
  }

  write(batch: readonly AgentEvent[]): string {
    let events = "";
    for (const piece of this.#reader.read(batch)) events += this.#writePiece(piece);
    return events;
  }

  more(text: string): string | undefined {
    if (this.#open?.kind !== "text" || !this.#reader.more(text)) return undefined;
    return `${this.#open.head}${JSON.stringify(text)}}}\n\n`;
  }

  end(ending: AnswerEnding): string {
    const { usage: reported, weight, calls } = this.#reader;
    const closed = this.#close();
    const isFailed = ending.kind === "failed";
    const error = isFailed ? sse("error", toAnthropicError(ending.error, this.#next > 0)) : "";
    const stop = isFailed ? toStop(0, undefined) : toStop(calls, ending.cut);
    const delta = { ...stop, container: NOT_KEPT.container };
    const usage = toAnthropicUsage(usageOfAnswer(this.#options.count, reported, weight));
    return `${closed}${error}${sse("message_delta", { delta, usage })}${MESSAGE_STOP}`;
  }

  #writePiece(piece: AnswerPiece): string {
    if (piece.kind === "close") return this.#close();
    if (piece.kind === "call") return this.#writeCall(piece.call);
    const tail = `${JSON.stringify(piece.text)}}}\n\n`;
    if (this.#open?.kind === piece.kind && !piece.fresh) return `${this.#open.head}${tail}`;
    const closed = this.#close();
    const head = deltaHead(piece.kind, this.#next);
    const started = this.#start(emptyBlock(piece.kind));
    this.#open = { kind: piece.kind, head };
    return `${closed}${started}${head}${tail}`;
  }

  #writeCall({ callId, name, input }: ClientCall): string {
    const index = this.#next;
    const closed = this.#close();
    const started = this.#start({ type: "tool_use", id: callId, name, input: {}, caller: DIRECT });
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) };
    return `${closed}${started}${sse("content_block_delta", { index, delta })}${sse("content_block_stop", { index })}`;
  }

  #start(content_block: object): string {
    const index = this.#next;
    this.#next += 1;
    return sse("content_block_start", { index, content_block });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    return sse("content_block_stop", { index: this.#next - 1 });
  }
}

export interface Stop {
  readonly stop_reason: "end_turn" | "tool_use" | "max_tokens" | "stop_sequence";
  readonly stop_sequence: string | null;
  /** For a refusal, which agents do not mark as one. */
  readonly stop_details: null;
}

const UNSTOPPED = { stop_sequence: null, stop_details: null } as const;

/** The agent makes the call itself, not a program of the server. */
export const DIRECT = { type: "direct" } as const;

/** Why a successful answer ended, in the terms of the Messages API. */
export function toStop(calls: number, cut: Cut | undefined): Stop {
  if (cut?.kind === "stop-sequence") return { ...UNSTOPPED, stop_reason: "stop_sequence", stop_sequence: cut.sequence };
  if (cut?.kind === "length") return { ...UNSTOPPED, stop_reason: "max_tokens" };
  return { ...UNSTOPPED, stop_reason: calls > 0 ? "tool_use" : "end_turn" };
}

function sse(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function emptyBlock(kind: BlockKind): object {
  return kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
}

function deltaHead(kind: BlockKind, index: number): string {
  const field = kind === "text" ? '"text_delta","text":' : '"thinking_delta","thinking":';
  const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index}`;
  return `${head},"delta":{"type":${field}`;
}
