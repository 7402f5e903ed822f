import type { AgentEvent, ErrorInfo, TurnOutcome } from "@caret/protocol";
import type { AnswerDisplay } from "../activity-text.ts";
import { type AnswerPiece, AnswerReader, type ClientCall } from "../answer-reader.ts";
import { type AnswerCount, usageOfAnswer } from "../answer-usage.ts";
import type { DoorRequest } from "../door-request.ts";
import { toOpenaiError } from "../openai/errors.ts";
import type { AnswerEnding, AnswerStream } from "../serve-answer.ts";
import type { Cut } from "../stop-matcher.ts";
import { type ResponseIdentity, type ResponseObject, type ResponseState, toResponseObject } from "./answer.ts";
import { toResponseError } from "./errors.ts";
import type { OutputItem } from "./item-store.ts";
import { type EventFraming, sseFraming } from "./making/event-framing.ts";
import {
  createMessageWriter,
  createReasoningWriter,
  type ItemWriter,
  type WriteEvent,
  writeCall,
} from "./making/item-writers.ts";
import { toCallItem } from "./tools.ts";
import { toResponseUsage } from "./usage.ts";

export interface ResponseStreamOptions extends ResponseIdentity {
  readonly request: DoorRequest;
  readonly showActivity: AnswerDisplay;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly count: AnswerCount;
  /** How events go over the wire. Default: server-sent events. */
  readonly framing?: EventFraming;
}

interface OpenItem {
  readonly kind: "text" | "thinking";
  readonly writer: ItemWriter;
}

/**
 * The events of a response: `created`, `in_progress`, one item after the other with its deltas, and `completed`, which repeats everything.
 * Every block of text is a separate message.
 *
 * A failure in the middle closes the open item, then is sent as an `error` event, which the AI SDK and what is built on it understand, and
 * as `response.failed`, which Codex and OpenAI's own SDK do. With neither, clients repeat the request, some of them forever. On a WebSocket
 * only `response.failed` is sent: either event ends a response there, so a second one would belong to the next.
 */
export class ResponseStream implements AnswerStream {
  readonly #options: ResponseStreamOptions;
  readonly #reader: AnswerReader;
  readonly #framing: EventFraming;
  readonly #output: OutputItem[] = [];
  #open: OpenItem | undefined;
  #final: ResponseObject | undefined;
  #sequence = 0;

  constructor(options: ResponseStreamOptions) {
    this.#options = options;
    this.#framing = options.framing ?? sseFraming;
    this.#reader = new AnswerReader(options.showActivity);
  }

  /** The response as it stands; whole once the stream has ended. */
  get response(): ResponseObject {
    return this.#final ?? this.#inProgress();
  }

  get outcome(): TurnOutcome | undefined {
    return this.#reader.outcome;
  }

  get calls(): number {
    return this.#reader.calls;
  }

  write(batch: readonly AgentEvent[]): string {
    const pieces = this.#reader.read(batch);
    if (pieces.length === 0) return "";
    let events = this.#begin();
    for (const piece of pieces) events += this.#writePiece(piece);
    return events;
  }

  more(text: string): string | undefined {
    return this.#open?.kind === "text" && this.#reader.more(text) ? this.#open.writer.delta(text) : undefined;
  }

  end(ending: AnswerEnding): string {
    if (ending.kind === "failed") return this.#fail(ending.error);
    // In this format only the token limit can cut an answer.
    const status = ending.cut === undefined ? "completed" : "incomplete";
    const events = this.#begin() + this.#closeItem(status);
    this.#settle({ status, error: null });
    return (
      events + this.#event(`response.${status}`, `"response":${JSON.stringify(this.response)}`) + this.#framing.end
    );
  }

  #begin(): string {
    if (this.#sequence > 0) return "";
    const response = `"response":${JSON.stringify(this.response)}`;
    return this.#event("response.created", response) + this.#event("response.in_progress", response);
  }

  #fail(info: ErrorInfo): string {
    const isBegun = this.#open !== undefined || this.#output.length > 0;
    const events = this.#begin() + this.#closeItem("incomplete");
    // Only background responses can be cancelled; for any other client it is a failure.
    if (info.code === "cancelled" && this.#options.body.background === true) return events + this.#cancelled();
    const error = toResponseError(info, isBegun);
    this.#settle({ status: "failed", error });
    // Both shapes in use: the documented flat one, and the nested one that OpenAI's servers send.
    const fields = JSON.stringify({ ...error, param: null, error: toOpenaiError(info, isBegun) });
    const failure = this.#framing.namesErrors ? this.#event("error", fields.slice(1, -1)) : "";
    const failed = this.#event("response.failed", `"response":${JSON.stringify(this.response)}`);
    return events + failure + failed + this.#framing.end;
  }

  #cancelled(): string {
    this.#settle({ status: "cancelled", error: null });
    return this.#event("response.cancelled", `"response":${JSON.stringify(this.response)}`) + this.#framing.end;
  }

  #settle(state: Pick<ResponseState, "status" | "error">): void {
    const { usage: reported, weight } = this.#reader;
    const usage = toResponseUsage(usageOfAnswer(this.#options.count, reported, weight));
    const completedAt = state.status === "completed" ? Math.floor(this.#options.now() / 1000) : null;
    this.#final = this.#toResponse({ ...state, output: this.#output, usage, completedAt });
  }

  #inProgress(): ResponseObject {
    const output = [...this.#output];
    return this.#toResponse({ status: "in_progress", error: null, output, usage: null, completedAt: null });
  }

  #toResponse(state: ResponseState): ResponseObject {
    return toResponseObject(this.#options, state);
  }

  #writePiece(piece: AnswerPiece): string {
    if (piece.kind === "close") return this.#closeItem("completed");
    if (piece.kind === "call") return this.#writeCall(piece.call);
    if (this.#open?.kind === piece.kind && !piece.fresh) return this.#open.writer.delta(piece.text);
    const closing = this.#closeItem("completed");
    const { writer } = this.#openItem(piece.kind);
    return closing + writer.open() + writer.delta(piece.text);
  }

  #openItem(kind: OpenItem["kind"]): OpenItem {
    const { newId } = this.#options;
    const index = this.#output.length;
    const writer =
      kind === "text"
        ? createMessageWriter(this.#event, { id: `msg_${newId()}`, index })
        : createReasoningWriter(this.#event, { id: `rs_${newId()}`, index });
    this.#open = { kind, writer };
    return this.#open;
  }

  #closeItem(status: "completed" | "incomplete"): string {
    if (this.#open === undefined) return "";
    const { text, item } = this.#open.writer.close(status);
    this.#open = undefined;
    this.#output.push(item);
    return text;
  }

  #writeCall(call: ClientCall): string {
    const closing = this.#closeItem("completed");
    const { newId, request } = this.#options;
    const item = toCallItem(call, request.tools, newId);
    const events = writeCall(this.#event, this.#output.length, item);
    this.#output.push(item);
    return closing + events;
  }

  readonly #event: WriteEvent = (type, fields) => {
    const sequence = this.#sequence;
    this.#sequence += 1;
    return this.#framing.event(type, `{"type":"${type}","sequence_number":${sequence},${fields}}`);
  };
}

/** The whole response: what `response.completed` would contain at the end of the stream. */
export function toResponse(events: readonly AgentEvent[], options: ResponseStreamOptions, cut?: Cut): ResponseObject {
  const stream = new ResponseStream(options);
  stream.write(events);
  stream.end({ kind: "finished", cut });
  return stream.response;
}
