import { CaretError, keeperOf } from "@caret/protocol";
import type { WebSocket } from "@fastify/websocket";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { refusalWith, toKnownError } from "../../../http/refusals.ts";
import { requestContextOf } from "../../../http/request-context.ts";
import { createSocketWriter, type SocketWriter } from "../../../http/socket-writer.ts";
import { RESPONSES_SOCKET } from "../../../http/web-sockets.ts";
import { type ResponseObject, toResponseObject } from "../answer.ts";
import { failedResponse, identityOf, responsesReplies } from "../errors.ts";
import { lineFraming, linesOf } from "../making/event-framing.ts";
import { makeResponse } from "../making/make-response.ts";
import { type PreparedResponse, prepareResponse, type ResponsesContext } from "../making/prepare-response.ts";
import { readResponsesRequest, readUnanswered } from "../request.ts";
import { createSocketMemory, type SocketMemory } from "./socket-memory.ts";
import { type CreateMessage, readCreateMessage } from "./socket-messages.ts";

/** The age at which OpenAI closes a connection. */
const MAX_AGE_MS = 60 * 60_000;
/** Messages that can wait for the current response; a client should send the next one after it. */
const MAX_WAITING = 8;
/** Bytes the client has not read above which the turn waits. */
const HIGH_WATER = 256 * 1024;

/** Close codes of RFC 6455. */
const codes = { leaving: 1001, unsupported: 1003, refused: 1008 } as const;

export interface ResponsesSocketOptions {
  readonly context: ResponsesContext;
  /** Aborts when the server begins to close. */
  readonly closing: AbortSignal;
  readonly maxAgeMs?: number | undefined;
}

/**
 * The Responses API over a WebSocket: each message requests a response, whose events are messages. One response at a time; a client that
 * disconnects gives up the current one. The server's checks all run before the upgrade, as for any other request.
 */
export function responsesSocket(app: FastifyInstance, options: ResponsesSocketOptions): void {
  app.route({
    method: "GET",
    url: RESPONSES_SOCKET,
    config: { doc: { summary: "OpenAI responses over a WebSocket: each message is a response.create" } },
    handler: async (_request, reply) => {
      reply.header("upgrade", "websocket");
      throw refusalWith(426, "This address is for WebSockets; POST /v1/responses gives the same over HTTP.");
    },
    wsHandler: (socket, request) => new ResponsesSocket(socket, request, options).open(),
  });
}

class ResponsesSocket {
  readonly #socket: WebSocket;
  readonly #request: FastifyRequest;
  readonly #context: ResponsesContext;
  readonly #writer: SocketWriter;
  readonly #memory: SocketMemory = createSocketMemory();
  readonly #waiting: string[] = [];
  readonly #options: ResponsesSocketOptions;
  readonly #stop: AbortSignal;
  #isBusy = false;
  #isTooOld = false;

  constructor(socket: WebSocket, request: FastifyRequest, options: ResponsesSocketOptions) {
    const { signal, meter } = requestContextOf(request);
    const { keepAliveMs } = options.context;
    this.#socket = socket;
    this.#request = request;
    this.#options = options;
    this.#context = options.context;
    this.#stop = signal;
    this.#writer = createSocketWriter(socket, { stream: request.raw.socket, stop: signal, keepAliveMs, meter });
  }

  open(): void {
    const { closing, maxAgeMs = MAX_AGE_MS } = this.#options;
    const leave = (): void => this.#leaveIfIdle();
    const grow = setTimeout(() => {
      this.#isTooOld = true;
      leave();
    }, maxAgeMs).unref();
    closing.addEventListener("abort", leave, { once: true });
    this.#stop.addEventListener("abort", leave, { once: true });
    this.#socket.once("close", () => {
      clearTimeout(grow);
      closing.removeEventListener("abort", leave);
      this.#stop.removeEventListener("abort", leave);
    });
    this.#socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#writer.end(codes.unsupported, "Send text: each message is JSON");
      else if (this.#waiting.length >= MAX_WAITING) this.#writer.end(codes.refused, "Too many messages wait");
      else this.#take(data.toString("utf8"));
    });
    leave();
  }

  #take(text: string): void {
    this.#waiting.push(text);
    if (!this.#isBusy) void this.#work();
  }

  /** Never rejects: a failing message is answered with its error. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      if (this.#socket.readyState !== this.#socket.OPEN) break;
      if (this.#isTooOld) break;
      await this.#answer(text);
    }
    this.#isBusy = false;
    this.#leaveIfIdle();
  }

  #leaveIfIdle(): void {
    if (this.#isBusy) return;
    if (this.#stop.aborted) return this.#writer.end(codes.refused, CaretError.from(this.#stop.reason).message);
    if (this.#options.closing.aborted) return this.#writer.end(codes.leaving, "The gateway is shutting down");
    if (!this.#isTooOld) return;
    const message = "This connection is as old as one may be; open another one.";
    const error = { type: "invalid_request_error", code: "websocket_connection_limit_reached", message, param: null };
    void this.#send([JSON.stringify({ type: "error", status: 400, error })]);
    this.#writer.end(codes.leaving, message);
  }

  async #answer(text: string): Promise<void> {
    let asked: CreateMessage | undefined;
    try {
      asked = readCreateMessage(text, this.#request.headers);
      await this.#respond(asked);
    } catch (reason) {
      this.#memory.forget(previousOf(asked));
      this.#refuse(reason, asked);
    }
  }

  async #respond({ value, headers, isAnswered }: CreateMessage): Promise<void> {
    const { caller } = requestContextOf(this.#request);
    const parts = { value, headers, owner: keeperOf(caller) };
    const readRequest = isAnswered ? readResponsesRequest : readUnanswered;
    const prepared = await prepareResponse(parts, this.#context, readRequest, this.#memory.before);
    if (!isAnswered) return await this.#warmUp(prepared);
    await makeResponse({
      prepared,
      caller,
      conversations: this.#context.conversations,
      signal: this.#writer.signal,
      framing: lineFraming,
      write: (events) => this.#send(linesOf(events)),
      keep: (response, turn) => this.#keep(prepared, response, turn),
    });
  }

  async #keep(
    prepared: PreparedResponse,
    response: ResponseObject,
    turn: { readonly sessionId: string; readonly conversation?: string | undefined },
  ): Promise<void> {
    const kept = prepared.toKept(response, turn);
    if (response.status === "failed") this.#memory.forget(kept.previousId);
    else this.#memory.remember(prepared.read.past, kept);
    if (prepared.isStored) await this.#context.items.keep(prepared.owner, kept, turn.sessionId);
  }

  /** Starts no turn: stores the input for the next request, which then sends only what is new. */
  async #warmUp(prepared: PreparedResponse): Promise<void> {
    const { body } = prepared.read;
    const now = Math.floor(this.#context.now() / 1000);
    const identity = { id: prepared.id, createdAt: now, model: body.model ?? "", body };
    const nothing = { error: null, output: [] } as const;
    const begun = toResponseObject(identity, { ...nothing, status: "in_progress", usage: null, completedAt: null });
    const usage = {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    };
    const done = toResponseObject(identity, { ...nothing, status: "completed", usage, completedAt: now });
    await this.#keep(prepared, done, { sessionId: "" });
    const events = [
      { type: "response.created", sequence_number: 0, response: begun },
      { type: "response.in_progress", sequence_number: 1, response: begun },
      { type: "response.completed", sequence_number: 2, response: done },
    ];
    await this.#send(events.map((event) => JSON.stringify(event)));
  }

  /** As over HTTP, with the status and the headers in the message. */
  #refuse(reason: unknown, asked: CreateMessage | undefined): void {
    const { error, status } = toKnownError(reason);
    if (error.code === "internal") this.#request.log.error({ err: reason }, "A message failed unexpectedly");
    const info = error.toInfo();
    const reply = responsesReplies(this.#context)({ info, status, request: this.#request });
    if (reply.status === 200) {
      const failed = failedResponse(info, identityOf(asked?.value, this.#context), lineFraming);
      return void this.#send(linesOf(failed));
    }
    void this.#send([
      JSON.stringify({ type: "error", status: reply.status, ...(reply.body as object), headers: reply.headers }),
    ]);
  }

  #send(events: readonly string[]): Promise<void> | void {
    const sent = this.#writer.write(events);
    return this.#socket.bufferedAmount > HIGH_WATER ? sent : undefined;
  }
}

function previousOf(asked: CreateMessage | undefined): string | undefined {
  const id = asked?.value["previous_response_id"];
  return typeof id === "string" ? id : undefined;
}
