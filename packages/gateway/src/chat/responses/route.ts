import { keeperOf, type TurnShare } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { errorHandler } from "../../http/error-handler.ts";
import { requestContextOf } from "../../http/request-context.ts";
import { displayOf } from "../activity-text.ts";
import { countAnswer } from "../answer-usage.ts";
import { type AnswerStream, type DoorOptions, serveAnswer } from "../serve-answer.ts";
import type { ResponseObject } from "./answer.ts";
import { toResponsesReply } from "./errors.ts";
import { createMemoryItemStore, type ItemStore } from "./item-store.ts";
import { readResponsesRequest, referencesIn, responsesSchema } from "./request.ts";
import { ResponseStream, toResponse } from "./stream.ts";

export interface ResponsesDoorOptions extends DoorOptions {
  /** Absent: what was answered is kept in memory, within bounds. */
  readonly items?: ItemStore;
}

const doc = { summary: "OpenAI responses", body: responsesSchema, streams: true };

/** `POST /v1/responses`. */
export function responsesDoor(options: ResponsesDoorOptions): FastifyPluginAsync {
  const items = options.items ?? createMemoryItemStore();
  return async (app) => {
    app.setErrorHandler(errorHandler(toResponsesReply));
    app.post("/v1/responses", { config: { doc } }, async (request, reply) =>
      answer(request, reply, { ...options, items }),
    );
  };
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ResponsesDoorOptions & { readonly items: ItemStore },
): Promise<FastifyReply> {
  const { items, newId, now } = options;
  const owner = keeperOf(requestContextOf(request).caller);
  const known = await items.recall(owner, referencesIn(request.body));
  const read = readResponsesRequest(request.body, request.headers, { owner, items: known });
  const { body } = read;
  const id = `resp_${newId()}`;
  const createdAt = Math.floor(now() / 1000);
  const shape = (turn: TurnShare) => ({
    ...{ id, createdAt, model: turn.model, body, request: read.request, newId },
    showActivity: displayOf(read.request, options.showActivity),
    count: countAnswer(read.request, turn),
  });

  let kept: Promise<void> | undefined;
  function keep({ output }: ResponseObject, { sessionId, conversation }: TurnShare): void {
    if (body.store === false) return;
    const previousId = body.previous_response_id ?? undefined;
    kept = items.keep(owner, { id, previousId, ...read.added, output, conversation }, sessionId);
  }

  return await serveAnswer({ request, reply, options }, read.request, {
    stream: body.stream ?? false,
    openStream: (turn) => keptStream(new ResponseStream(shape(turn)), (response) => keep(response, turn)),
    kept: () => kept,
    // Every block of text is an item of its own.
    blockGap: "",
    toWhole(turn, events, cut) {
      const response = toResponse(events, shape(turn), cut);
      keep(response, turn);
      return response;
    },
  });
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
