import type { AgentEvent, ErrorInfo, TurnOutcome } from "@caret/protocol";
import type { ActivityDisplay } from "../activity-text.ts";
import { type AnswerPiece, AnswerReader, type ClientCall } from "../answer-reader.ts";
import { type AnswerCount, usageOfAnswer } from "../answer-usage.ts";
import type { DoorRequest } from "../door-request.ts";
import type { AnswerEnding } from "../follow-answer.ts";
import { toOpenaiError } from "../openai/errors.ts";
import type { AnswerStream } from "../serve-answer.ts";
import { toCallItem } from "./call-item.ts";
import { toResponseError } from "./errors.ts";
import {
  createMessageWriter,
  createReasoningWriter,
  type ItemWriter,
  type WriteEvent,
  writeCall,
} from "./item-writer.ts";
import type { OutputItem } from "./output-item.ts";
import { type ResponseIdentity, type ResponseObject, type ResponseState, toResponseObject } from "./response-object.ts";
import { toResponseUsage } from "./usage.ts";

export interface ResponseStreamOptions extends ResponseIdentity {
  readonly request: DoorRequest;
  readonly showActivity: ActivityDisplay;
  readonly newId: () => string;
  readonly count: AnswerCount;
}

interface OpenItem {
  readonly kind: "text" | "thinking";
  readonly writer: ItemWriter;
}

/**
 * The events of a response: `created`, `in_progress`, one item after the other with its deltas, and `completed` with
 * everything once more. Every block of text is a message of its own.
 *
 * A failure in the middle closes the open item, then comes as an `error` event, which the AI SDK and what is built on it
 * understand, and as `response.failed`, which Codex and OpenAI's own SDK do. Without either, clients send the request
 * again, some of them for ever.
 */
export class ResponseStream implements AnswerStream {
  /** The response as it stands; whole once the stream has ended. */
  response: ResponseObject;

  readonly #options: ResponseStreamOptions;
  readonly #reader: AnswerReader;
  readonly #output: OutputItem[] = [];
  #open: OpenItem | undefined;
  #sequence = 0;

  constructor(options: ResponseStreamOptions) {
    this.#options = options;
    this.#reader = new AnswerReader(options.showActivity);
    this.response = this.#toResponse({ status: "in_progress", error: null, output: [], usage: null });
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

  end(ending: AnswerEnding): string {
    if (ending.kind === "failed") return this.#fail(ending.error);
    // Nothing but the number of tokens can cut an answer in this format.
    const status = ending.cut === undefined ? "completed" : "incomplete";
    const events = this.#begin() + this.#closeItem(status);
    this.#settle({ status, error: null });
    return events + this.#event(`response.${status}`, `"response":${JSON.stringify(this.response)}`);
  }

  #begin(): string {
    if (this.#sequence > 0) return "";
    const response = `"response":${JSON.stringify(this.response)}`;
    return this.#event("response.created", response) + this.#event("response.in_progress", response);
  }

  #fail(info: ErrorInfo): string {
    const isBegun = this.#open !== undefined || this.#output.length > 0;
    const events = this.#begin() + this.#closeItem("incomplete");
    const error = toResponseError(info, isBegun);
    this.#settle({ status: "failed", error });
    // Both shapes that are about: the documented flat one, and the nested one that OpenAI's servers send.
    const fields = JSON.stringify({ ...error, param: null, error: toOpenaiError(info, isBegun) });
    return (
      events +
      this.#event("error", fields.slice(1, -1)) +
      this.#event("response.failed", `"response":${JSON.stringify(this.response)}`)
    );
  }

  #settle(state: Pick<ResponseState, "status" | "error">): void {
    const { usage: told, weight } = this.#reader;
    const usage = toResponseUsage(usageOfAnswer(this.#options.count, told, weight));
    this.response = this.#toResponse({ ...state, output: this.#output, usage });
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
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${fields}}\n\n`;
  };
}
