import type { AgentEvent, ClientTool, TurnOutcome } from "@caret/protocol";
import type { AnswerDisplay } from "../activity-text.ts";
import { type AnswerPiece, AnswerReader, type ClientCall } from "../answer-reader.ts";
import type { AnswerCount } from "../answer-usage.ts";
import { toolOfCall } from "../client-tools.ts";
import { customInputOf } from "../openai-tools.ts";
import type { AnswerEnding, AnswerStream } from "../serve-answer.ts";
import type { Cut } from "../stop-matcher.ts";
import { toOpenaiError } from "./errors.ts";
import { chatUsageOf } from "./usage.ts";

/** A call for the client to run, as a Chat Completions message holds it. */
export type ChatCall =
  | { readonly id: string; readonly type: "function"; readonly function: ChatFunction }
  | {
      readonly id: string;
      readonly type: "custom";
      readonly custom: { readonly name: string; readonly input: string };
    };

interface ChatFunction {
  readonly name: string;
  readonly arguments: string;
}

/** In the form in which its tool was offered. */
export function toChatCall(call: ClientCall, tools: readonly ClientTool[]): ChatCall {
  const { callId: id, name, input } = call;
  if (toolOfCall(tools, call)?.form === "custom")
    return { id, type: "custom", custom: { name, input: customInputOf(input) } };
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

export interface ChatStreamOptions {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** The client asked for a usage chunk. */
  readonly includeUsage: boolean;
  readonly showActivity: AnswerDisplay;
  /** The request's tools: a call is written in its tool's form. */
  readonly tools: readonly ClientTool[];
  readonly count: AnswerCount;
}

/** A message has one text, so its blocks become paragraphs. */
export const BLOCK_GAP = "\n\n";

const fields = { text: "content", thinking: "reasoning_content" } as const;

/**
 * Chat completion chunks: the role first, then content, reasoning and calls, one finish reason, usage if requested and known or estimated,
 * and `[DONE]`.
 *
 * A failure in the middle is sent as an `error` chunk, which the official SDK, the AI SDK and what is built on them raise as an error. A
 * finish reason still follows: a client that overlooks the error would otherwise think the stream was cut off and repeat the request, in
 * some cases forever.
 */
export class ChatStream implements AnswerStream {
  readonly #reader: AnswerReader;
  readonly #options: ChatStreamOptions;
  readonly #head: string;
  readonly #tail: string;
  #hasRole = false;
  #calls = 0;
  readonly #spoken = { text: false, thinking: false };

  constructor(options: ChatStreamOptions) {
    const { id, created, model, showActivity, includeUsage } = options;
    const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model, service_tier: "default" });
    this.#options = options;
    this.#reader = new AnswerReader(showActivity);
    this.#head = `data: ${head.slice(0, -1)},"choices":`;
    // Only the last chunk has usage, and only if the client asked for it.
    this.#tail = includeUsage ? '],"usage":null}\n\n' : "]}\n\n";
  }

  get outcome(): TurnOutcome | undefined {
    return this.#reader.outcome;
  }

  get calls(): number {
    return this.#reader.calls;
  }

  write(batch: readonly AgentEvent[]): string {
    let chunks = "";
    for (const piece of this.#reader.read(batch)) chunks += this.#toChunks(piece);
    return this.#withRole(chunks);
  }

  more(text: string): string | undefined {
    return this.#reader.more(text) ? this.#chunk(`{"content":${JSON.stringify(text)}}`) : undefined;
  }

  end(ending: AnswerEnding): string {
    const failed = ending.kind === "failed";
    const error = failed ? `data: ${JSON.stringify({ error: toOpenaiError(ending.error, this.#isBegun) })}\n\n` : "";
    const reason = failed ? "stop" : finishReason(this.calls, ending.cut);
    const finish = this.#choice("{}", `"${reason}"`);
    return `${this.#withRole(error + finish)}${this.#usageChunk(ending)}data: [DONE]\n\n`;
  }

  /** The client has seen part of the answer. */
  get #isBegun(): boolean {
    return this.#spoken.text || this.#spoken.thinking || this.calls > 0;
  }

  /** SDKs build the message from the first delta's role, so the role must come first. */
  #withRole(chunks: string): string {
    if (this.#hasRole || chunks === "") return chunks;
    this.#hasRole = true;
    return this.#chunk('{"role":"assistant","content":"","refusal":null}') + chunks;
  }

  #toChunks(piece: AnswerPiece): string {
    if (piece.kind === "close") return "";
    if (piece.kind === "call") return this.#callChunks(piece.call);
    const gap = piece.fresh && this.#spoken[piece.kind] ? BLOCK_GAP : "";
    this.#spoken[piece.kind] = true;
    return this.#chunk(`{"${fields[piece.kind]}":${JSON.stringify(gap + piece.text)}}`);
  }

  /**
   * The call with its name, then its arguments, all under the call's own index. A custom call is sent whole: the official SDK joins only
   * pieces of arguments.
   */
  #callChunks(client: ClientCall): string {
    const index = this.#calls;
    this.#calls += 1;
    const call = toChatCall(client, this.#options.tools);
    if (call.type === "custom") return this.#callChunk({ index, ...call });
    const { name, arguments: text } = call.function;
    const opening = { index, ...call, function: { name, arguments: "" } };
    return this.#callChunk(opening) + this.#callChunk({ index, function: { arguments: text } });
  }

  #callChunk(call: object): string {
    return this.#chunk(`{"tool_calls":[${JSON.stringify(call)}]}`);
  }

  #usageChunk(ending: AnswerEnding): string {
    const { includeUsage, count } = this.#options;
    const usage = includeUsage ? chatUsageOf(this.#reader, count, ending) : undefined;
    return usage === undefined ? "" : `${this.#head}[],"usage":${JSON.stringify(usage)}}\n\n`;
  }

  #chunk(delta: string): string {
    return this.#choice(delta, "null");
  }

  #choice(delta: string, reason: string): string {
    return `${this.#head}[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}${this.#tail}`;
  }
}

/** Why a successful answer ended, in the terms of Chat Completions. */
export function finishReason(calls: number, cut: Cut | undefined): "stop" | "length" | "tool_calls" {
  if (cut !== undefined) return cut.kind === "length" ? "length" : "stop";
  return calls > 0 ? "tool_calls" : "stop";
}
