import type { FastifyPluginAsync } from "fastify";
import { toCompletion } from "./completion.ts";
import type { DoorOptions } from "./door-options.ts";
import { answerWithError } from "./error-handler.ts";
import { readChatRequest } from "./request.ts";
import { serveAnswer } from "./serve-answer.ts";
import { BLOCK_GAP, ChatStream } from "./stream.ts";

/** `POST /v1/chat/completions`. */
export function openaiDoor(options: DoorOptions): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(answerWithError);
    app.post("/v1/chat/completions", async (request, reply) => {
      const { request: door, stream, includeUsage } = readChatRequest(request.body, request.headers);
      const shape = {
        id: `chatcmpl-${options.newId()}`,
        created: Math.floor(options.now() / 1000),
        showActivity: options.showActivity,
        tools: door.tools,
      };
      return serveAnswer({ request, reply, options }, door, {
        stream,
        openStream: ({ model }) => new ChatStream({ ...shape, model, includeUsage }),
        blockGap: BLOCK_GAP,
        toWhole: ({ model }, events, cut) => toCompletion(events, { ...shape, model }, cut),
      });
    });
  };
}
