import type { TurnShare } from "@caret/protocol";
import type { FastifyPluginAsync } from "fastify";
import { countAnswer } from "../answer-usage.ts";
import { serveAnswer } from "../serve-answer.ts";
import { toCompletion } from "./answer.ts";
import type { DoorOptions } from "./door-options.ts";
import { answerWithError } from "./error-handler.ts";
import { readChatRequest } from "./request.ts";
import { BLOCK_GAP, ChatStream } from "./stream.ts";

/** `POST /v1/chat/completions`. */
export function openaiDoor(options: DoorOptions): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(answerWithError);
    app.post("/v1/chat/completions", async (request, reply) => {
      const { request: door, stream, includeUsage } = readChatRequest(request.body, request.headers);
      const shape = (turn: TurnShare) => ({
        id: `chatcmpl-${options.newId()}`,
        created: Math.floor(options.now() / 1000),
        showActivity: options.showActivity,
        tools: door.tools,
        model: turn.model,
        count: countAnswer(door, turn),
      });
      return serveAnswer({ request, reply, options }, door, {
        stream,
        openStream: (turn) => new ChatStream({ ...shape(turn), includeUsage }),
        blockGap: BLOCK_GAP,
        toWhole: (turn, events, cut) => toCompletion(events, shape(turn), cut),
      });
    });
  };
}
