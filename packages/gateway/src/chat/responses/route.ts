import { keeperOf, type TurnShare } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { errorHandler } from "../../http/error-handler.ts";
import { requestContextOf } from "../../http/request-context.ts";
import { hasWebSockets } from "../../http/web-sockets.ts";
import { type AnswerStream, type DoorOptions, serveAnswer } from "../serve-answer.ts";
import type { ResponseObject } from "./answer.ts";
import type { CompactionSeal } from "./compaction/compaction-seal.ts";
import { unansweredRoutes } from "./compaction/unanswered-routes.ts";
import { responsesReplies } from "./errors.ts";
import { createMemoryItemStore, type ItemStore } from "./item-store.ts";
import { type PreparedResponse, prepareResponse, type ResponsesContext } from "./making/prepare-response.ts";
import { responsesSchema } from "./request.ts";
import { responsesSocket } from "./socket/responses-socket.ts";
import { startInBackground } from "./stored/background-response.ts";
import { createRunningResponses, type RunningResponses } from "./stored/running-responses.ts";
import { storedRoutes, streamEvents } from "./stored/stored-routes.ts";
import { ResponseStream, toResponse } from "./stream.ts";

export interface ResponsesDoorOptions extends DoorOptions {
  /** If absent, responses are kept in memory, within bounds. */
  readonly items?: ItemStore;
  readonly seal?: CompactionSeal | undefined;
  /** Maximum age of a WebSocket. Default: an hour. */
  readonly socketAgeMs?: number | undefined;
}

const doc = { summary: "OpenAI responses", body: responsesSchema, streams: true };

/** `POST /v1/responses`, and what becomes of the responses. */
export function responsesDoor(options: ResponsesDoorOptions): FastifyPluginAsync {
  const context: ResponsesContext = { ...options, items: options.items ?? createMemoryItemStore() };
  return async (app) => {
    const running = createRunningResponses();
    app.setErrorHandler(errorHandler(responsesReplies(options)));
    app.post("/v1/responses", { config: { doc } }, async (request, reply) => answer(request, reply, context, running));
    unansweredRoutes(app, context);
    storedRoutes(app, context, running);
    if (hasWebSockets(app)) {
      const closing = new AbortController();
      app.addHook("preClose", async () => closing.abort());
      responsesSocket(app, { context, closing: closing.signal, maxAgeMs: options.socketAgeMs });
    }
    app.addHook("onClose", () => running.close());
  };
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ResponsesContext,
  running: RunningResponses,
): Promise<FastifyReply> {
  const owner = keeperOf(requestContextOf(request).caller);
  const prepared = await prepareResponse({ value: request.body, headers: request.headers, owner }, options);
  const { read, shape } = prepared;
  if (read.body.background === true) return await answerInBackground(request, reply, prepared, { options, running });
  let kept: Promise<void> | undefined;
  function keep(response: ResponseObject, turn: TurnShare): void {
    if (prepared.isStored) kept = options.items.keep(owner, prepared.toKept(response, turn), turn.sessionId);
  }

  return await serveAnswer({ request, reply, options }, read.request, {
    stream: read.body.stream ?? false,
    openStream: (turn) => keptStream(new ResponseStream(shape(turn)), (response) => keep(response, turn)),
    kept: () => kept,
    // Every block of text is a separate item.
    blockGap: "",
    toWhole(turn, events, cut) {
      const response = toResponse(events, shape(turn), cut);
      keep(response, turn);
      return response;
    },
  });
}

async function answerInBackground(
  request: FastifyRequest,
  reply: FastifyReply,
  prepared: PreparedResponse,
  { options, running }: { readonly options: ResponsesContext; readonly running: RunningResponses },
): Promise<FastifyReply> {
  const live = await startInBackground(prepared, requestContextOf(request).caller, options, running);
  if (prepared.read.body.stream === true)
    return await streamEvents(request, reply, live, { context: options, after: -1 });
  return reply.send(live.response());
}

/** Keeps the response as soon as it is whole: the client can refer to it from its last event on. */
function keptStream(stream: ResponseStream, keep: (response: ResponseObject) => void): AnswerStream {
  return {
    write: (batch) => stream.write(batch),
    more: (text) => stream.more(text),
    end(ending) {
      const events = stream.end(ending);
      keep(stream.response);
      return events;
    },
    get outcome() {
      return stream.outcome;
    },
    get calls() {
      return stream.calls;
    },
  };
}
