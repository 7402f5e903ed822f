import type { TurnShare } from "@caret/protocol";
import type { FastifyPluginAsync } from "fastify";
import { errorHandler } from "../../http/error-handler.ts";
import { displayOf } from "../activity-text.ts";
import { countAnswer } from "../answer-usage.ts";
import { type DoorOptions, serveAnswer } from "../serve-answer.ts";
import { toCompletion } from "./answer.ts";
import { toOpenaiReply } from "./errors.ts";
import { chatSchema, readChatRequest } from "./request.ts";
import { BLOCK_GAP, ChatStream } from "./stream.ts";

const doc = { summary: "OpenAI chat completions", body: chatSchema, streams: true };

/** `POST /v1/chat/completions`. */
export function openaiDoor(options: DoorOptions): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(errorHandler(({ info, status }) => toOpenaiReply(info, status)));
    app.post("/v1/chat/completions", { config: { doc } }, async (request, reply) => {
      const { request: door, stream, includeUsage } = readChatRequest(request.body, request.headers);
      const shape = (turn: TurnShare) => ({
        id: `chatcmpl-${options.newId()}`,
        created: Math.floor(options.now() / 1000),
        showActivity: displayOf(door, options.showActivity),
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
