import { CaretError, type DirectoryModel, type ModelDirectory, type PriceRow, priceOf } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { toAnthropicReply } from "../chat/anthropic/errors.ts";
import { toOpenaiReply } from "../chat/openai/errors.ts";
import { errorHandler } from "../http/error-handler.ts";

const OWNER = "cursor";

const MAX_LIMIT = 1000;

type KnownModels = Pick<ModelDirectory, "list" | "resolve">;

/** `GET /v1/models` and `/v1/models/:id`: in Anthropic's shape for clients that send `anthropic-version`. */
export function modelsDoor({ models }: { readonly models: KnownModels }): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(
      errorHandler(({ info, status, request }) =>
        wantsAnthropic(request) ? toAnthropicReply(info, request.id, status) : toOpenaiReply(info, status),
      ),
    );
    const listDoc = { summary: "List all models, in OpenAI's or Anthropic's shape" };
    app.get("/v1/models", { config: { doc: listDoc } }, async (request, reply) => {
      const list = await models.list();
      return reply.send(
        wantsAnthropic(request) ? toAnthropicModels(list, request.query as PageQuery) : toOpenaiModels(list),
      );
    });
    // An id can contain a slash, so everything after the prefix belongs to it.
    app.get("/v1/models/*", { config: { doc: { summary: "Get a model" } } }, async (request, reply) =>
      sendModel(models, request, reply),
    );
  };
}

async function sendModel(models: KnownModels, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { "*": name } = request.params as { readonly "*": string };
  const model = await findModel(models, name);
  // OpenAI's servers return the name that was requested, Anthropic's the model behind it.
  return reply.send(
    wantsAnthropic(request) ? toAnthropicModel(model) : toOpenaiModel({ ...model, id: name }, model.id),
  );
}

/** Finds a model by any name that a turn accepts: a listed model, a variant, or another vendor's name for it. */
async function findModel(models: KnownModels, name: string): Promise<DirectoryModel> {
  const list = await models.list();
  const listed = list.find(({ id }) => id === name);
  if (listed !== undefined) return listed;
  // In a turn an empty name means the default; here it is a wrong address.
  const unnamed = { cursorModel: undefined, effort: undefined, thinking: undefined };
  const resolved = name.trim() === "" ? undefined : await models.resolve({ ...unnamed, model: name });
  for (const { variants = [], ...model } of list) {
    if (model.id === resolved) return model;
    const variant = variants.find(({ id }) => id === resolved);
    if (variant !== undefined) return { ...model, ...variant };
  }
  throw new CaretError("model-unknown", `There is no model "${name.slice(0, 100)}"`);
}

function wantsAnthropic(request: FastifyRequest): boolean {
  return request.headers["anthropic-version"] !== undefined;
}

/** A model as Anthropic's clients read it. Their API also sends the epoch for an unknown date. */
function toAnthropicModel({ id, name, created }: DirectoryModel) {
  return { type: "model", id, display_name: name, created_at: new Date(created ?? 0).toISOString() } as const;
}

interface PageQuery {
  readonly limit?: unknown;
  readonly after_id?: unknown;
  readonly before_id?: unknown;
}

/** A page of models; all of them if no limit was given. */
export function toAnthropicModels(models: readonly DirectoryModel[], query: PageQuery = {}) {
  const limit = Math.min(Math.max(Math.trunc(Number(query.limit)) || MAX_LIMIT, 1), MAX_LIMIT);
  const after = models.findIndex(({ id }) => id === query.after_id) + 1;
  const before = models.findIndex(({ id }) => id === query.before_id);
  const backwards = before !== -1;
  const range = models.slice(after, backwards ? before : undefined);
  const page = backwards ? range.slice(-limit) : range.slice(0, limit);
  return {
    data: page.map(toAnthropicModel),
    has_more: page.length < range.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  } as const;
}

/**
 * A model as OpenAI's clients read it. For those that know Caret it adds name, variants, context limit and price (US dollars per million
 * tokens), as far as known.
 */
function toOpenaiModel({ id, name, created, variants, contextTokens, images }: DirectoryModel, pricedAs = id) {
  const cost = priceOf(pricedAs);
  return {
    id,
    object: "model",
    // The format requires a date; the epoch stands for an unknown one.
    created: Math.floor((created ?? 0) / 1000),
    owned_by: OWNER,
    name,
    ...(variants === undefined ? {} : { variants }),
    ...(contextTokens === undefined ? {} : { context_window: contextTokens }),
    ...(images === undefined ? {} : { images }),
    ...(cost === undefined ? {} : { cost: toCost(cost) }),
  } as const;
}

function toCost({ input, output, cacheRead, cacheWrite }: PriceRow) {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }),
  } as const;
}

export function toOpenaiModels(models: readonly DirectoryModel[]) {
  return { object: "list", data: models.map((model) => toOpenaiModel(model)) } as const;
}
