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
import {
  type CallItem,
  type MessageItem,
  type OutputItem,
  outputText,
  type ReasoningItem,
  summaryText,
} from "./item-store.ts";
import { toCallItem } from "./tools.ts";
import { toResponseUsage } from "./usage.ts";

/** Writes one SSE event; `fields` is the inside of its JSON object. */
export type WriteEvent = (type: string, fields: string) => string;

interface Place {
  readonly id: string;
  readonly index: number;
}

/** One item that is written piece by piece: its opening, its deltas, its end. */
export interface ItemWriter {
  open(): string;
  delta(text: string): string;
  close(status: "completed" | "incomplete"): { readonly text: string; readonly item: OutputItem };
}

/** An assistant's message: `added`, its one part, text deltas, and the `done` of each. */
function createMessageWriter(write: WriteEvent, { id, index }: Place): ItemWriter {
  const where = `"item_id":${JSON.stringify(id)},"output_index":${index},"content_index":0`;
  let text = "";
  const toItem = (status: MessageItem["status"], content: MessageItem["content"]): MessageItem => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content,
  });
  return {
    open: () =>
      write("response.output_item.added", itemFields(index, toItem("in_progress", []))) +
      write("response.content_part.added", `${where},"part":${JSON.stringify(outputText(""))}`),
    delta(more) {
      text += more;
      return write("response.output_text.delta", `${where},"delta":${JSON.stringify(more)},"logprobs":[]`);
    },
    close(status) {
      const part = outputText(text);
      const item = toItem(status, [part]);
      return {
        item,
        text:
          write("response.output_text.done", `${where},"text":${JSON.stringify(text)},"logprobs":[]`) +
          write("response.content_part.done", `${where},"part":${JSON.stringify(part)}`) +
          write("response.output_item.done", itemFields(index, item)),
      };
    },
  };
}

/** Thinking, as the summary of a reasoning item: the form that clients show. */
function createReasoningWriter(write: WriteEvent, { id, index }: Place): ItemWriter {
  const where = `"item_id":${JSON.stringify(id)},"output_index":${index},"summary_index":0`;
  let text = "";
  const toItem = (summary: ReasoningItem["summary"]): ReasoningItem => ({ id, type: "reasoning", summary });
  return {
    open: () =>
      write("response.output_item.added", itemFields(index, toItem([]))) +
      write("response.reasoning_summary_part.added", `${where},"part":${JSON.stringify(summaryText(""))}`),
    delta(more) {
      text += more;
      return write("response.reasoning_summary_text.delta", `${where},"delta":${JSON.stringify(more)}`);
    },
    close() {
      const part = summaryText(text);
      const item = toItem([part]);
      return {
        item,
        text:
          write("response.reasoning_summary_text.done", `${where},"text":${JSON.stringify(text)}`) +
          write("response.reasoning_summary_part.done", `${where},"part":${JSON.stringify(part)}`) +
          write("response.output_item.done", itemFields(index, item)),
      };
    },
  };
}

/** A call is known whole, so it opens, says its input and closes at once. */
function writeCall(write: WriteEvent, index: number, item: CallItem): string {
  const where = `"item_id":${JSON.stringify(item.id)},"output_index":${index}`;
  const added = (opening: object): string =>
    write("response.output_item.added", `"output_index":${index},"item":${JSON.stringify(opening)}`);
  // Events are numbered in the order in which they are written: this one comes last.
  const done = (): string => write("response.output_item.done", itemFields(index, item));
  const opening = { ...item, status: "in_progress" } as const;
  if (item.type === "function_call") {
    const text = JSON.stringify(item.arguments);
    const named = `"name":${JSON.stringify(item.name)},"arguments":${text}`;
    return (
      added({ ...opening, arguments: "" }) +
      write("response.function_call_arguments.delta", `${where},"delta":${text}`) +
      write("response.function_call_arguments.done", `${where},${named}`) +
      done()
    );
  }
  if (item.type !== "custom_tool_call") return added(opening) + done();
  const text = JSON.stringify(item.input);
  return (
    added({ ...opening, input: "" }) +
    write("response.custom_tool_call_input.delta", `${where},"delta":${text}`) +
    write("response.custom_tool_call_input.done", `${where},"input":${text}`) +
    done()
  );
}

function itemFields(index: number, item: OutputItem): string {
  return `"output_index":${index},"item":${JSON.stringify(item)}`;
}

export interface ResponseStreamOptions extends ResponseIdentity {
  readonly request: DoorRequest;
  readonly showActivity: AnswerDisplay;
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

  more(text: string): string | undefined {
    return this.#open?.kind === "text" && this.#reader.more(text) ? this.#open.writer.delta(text) : undefined;
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
    const { usage: reported, weight } = this.#reader;
    const usage = toResponseUsage(usageOfAnswer(this.#options.count, reported, weight));
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

/** The whole response at once: what `response.completed` would have held at the end of the stream. */
export function toResponse(events: readonly AgentEvent[], options: ResponseStreamOptions, cut?: Cut): ResponseObject {
  const stream = new ResponseStream(options);
  stream.write(events);
  stream.end({ kind: "finished", cut });
  return stream.response;
}
