import { CaretError } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { answerWithError as answerAnthropic } from "../anthropic/answer-with-error.ts";
import { answerWithError as answerOpenai } from "../openai/error-handler.ts";
import { type PageWish, toAnthropicModel, toAnthropicModels } from "./anthropic-models.ts";
import type { ModelDirectory } from "./model-directory.ts";
import { toOpenaiModel, toOpenaiModels } from "./openai-models.ts";

/** `GET /v1/models` and `/v1/models/:id`: in Anthropic's shape for whoever names a version of its API. */
export function modelsDoor({ models }: { readonly models: ModelDirectory }): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler((reason, request, reply) =>
      wantsAnthropic(request) ? answerAnthropic(reason, request, reply) : answerOpenai(reason, request, reply),
    );
    app.get("/v1/models", async (request, reply) => {
      const list = await models.list();
      return reply.send(
        wantsAnthropic(request) ? toAnthropicModels(list, request.query as PageWish) : toOpenaiModels(list),
      );
    });
    // An id may hold a slash, so everything after the prefix belongs to it.
    app.get("/v1/models/*", async (request, reply) => sendModel(models, request, reply));
  };
}

async function sendModel(models: ModelDirectory, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { "*": id } = request.params as { readonly "*": string };
  const model = (await models.list()).find((candidate) => candidate.id === id);
  if (model === undefined) throw new CaretError("model-unknown", `There is no model "${id.slice(0, 100)}"`);
  return reply.send(wantsAnthropic(request) ? toAnthropicModel(model) : toOpenaiModel(model));
}

function wantsAnthropic(request: FastifyRequest): boolean {
  return request.headers["anthropic-version"] !== undefined;
}
