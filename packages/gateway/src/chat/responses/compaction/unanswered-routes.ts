import { keeperOf } from "@caret/protocol";
import type { FastifyInstance } from "fastify";
import { requestContextOf } from "../../../http/request-context.ts";
import { estimateRequestTokens } from "../../estimate-tokens.ts";
import { prepareResponse, type ResponsesContext } from "../making/prepare-response.ts";
import { readUnanswered, unansweredSchema } from "../request.ts";
import { compactConversation, compactSchema } from "./compact-conversation.ts";

const countDoc = { summary: "Estimate the tokens of a request to the Responses API", body: unansweredSchema };
const compactDoc = { summary: "Compact a conversation to an item that stands for it", body: compactSchema };

/** Requests about a conversation that are not part of it. */
export function unansweredRoutes(app: FastifyInstance, context: ResponsesContext): void {
  app.post("/v1/responses/input_tokens", { config: { doc: countDoc } }, async (request, reply) => {
    const owner = keeperOf(requestContextOf(request).caller);
    const parts = { value: request.body, headers: request.headers, owner };
    const { read } = await prepareResponse(parts, context, readUnanswered);
    const input_tokens = estimateRequestTokens(read.request);
    return reply.header("x-caret-estimated", "true").send({ object: "response.input_tokens", input_tokens });
  });
  app.post("/v1/responses/compact", { config: { doc: compactDoc } }, async (request, reply) =>
    compactConversation(request, reply, context),
  );
}
