import {
  AiService,
  type AvailableModelsResponse_AvailableModel as AvailableModel,
  type AvailableModelsResponse_ModelVariantConfig as ModelVariant,
} from "@caret/protocol/agent-api/available-models";
import type { ModelDetails as UsableModel } from "@caret/protocol/agent-api/models";
import { AgentService } from "@caret/protocol/agent-api/run";
import type { AccessToken } from "../../credentials/credentials.ts";
import { AUTO_MODEL, fromApiModel, toModelSlug } from "../../models/model-spellings.ts";
import { type ListedModel, visibleName } from "../../models/parse-model-list.ts";
import type { ApiAccess } from "./api-access.ts";
import { createUnaryClient } from "./transport/unary-client.ts";

const CALL_MS = 15_000;

/**
 * The account's models: the parameterised catalogue joined with the plain list. Each variant has the id used by the CLI, plus the name and
 * parameters used to request it in a run. Rejects if neither list is available.
 */
export async function askForModels(
  access: ApiAccess,
  token: AccessToken,
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  const options = { timeoutMs: CALL_MS, signal };
  const ai = createUnaryClient(await access.control(signal), AiService);
  const asked = { useModelParameters: true, doNotUseMarkdown: true };
  const [available, usable, preferred] = await Promise.allSettled([
    access.call(token, (headers) => ai.availableModels(asked, { headers, ...options }), signal),
    access
      .call(token, (headers) => ai.getUsableModels({}, { headers, ...options }), signal)
      .catch(() => usableAtAgent(access, token, signal)),
    access.call(token, (headers) => ai.getDefaultModelForCli({}, { headers, ...options }), signal),
  ]);
  if (available.status === "rejected" && usable.status === "rejected") throw available.reason;
  const defaultId = preferred.status === "fulfilled" ? (preferred.value.model?.modelId ?? "") : "";
  return joinModels(
    available.status === "fulfilled" ? available.value.models : [],
    usable.status === "fulfilled" ? usable.value.models : [],
    defaultId,
  );
}

/** Older servers have the plain list only on the server for turns. */
async function usableAtAgent(access: ApiAccess, token: AccessToken, signal: AbortSignal) {
  const agent = createUnaryClient(await access.agent(token, signal), AgentService);
  return await access.call(
    token,
    (headers) => agent.getUsableModels({}, { headers, timeoutMs: CALL_MS, signal }),
    signal,
  );
}

export function joinModels(
  available: readonly AvailableModel[],
  usable: readonly UsableModel[],
  defaultId: string,
): readonly ListedModel[] {
  const models = new Map<string, ListedModel>();
  const add = (model: ListedModel): void => {
    const known = models.get(model.id);
    if (known === undefined) models.set(model.id, model);
  };
  for (const model of available) if (isForAgents(model)) for (const listed of variantsOf(model, models)) add(listed);
  for (const model of usable) add(plainModel(model));
  const auto = fromApiModel({ id: defaultId, params: [] }).base;
  return [...models.values()].map((model) => ({ ...model, isDefault: model.id === defaultId || model.id === auto }));
}

function isForAgents({ isHidden, supportsAgent, isChatOnly, onlySupportsCmdK }: AvailableModel): boolean {
  return isHidden !== true && supportsAgent !== false && isChatOnly !== true && onlySupportsCmdK !== true;
}

function variantsOf(model: AvailableModel, known: ReadonlyMap<string, unknown>): readonly ListedModel[] {
  const taken = new Set(known.keys());
  if (model.variants.length === 0) return [listedAs(idOf(model.name), model, undefined)];
  return model.variants.map((variant) => {
    const params = variant.parameterValues.map(({ id, value }) => ({ id, value }));
    const slug = variant.legacySlug || toModelSlug(fromApiModel({ id: model.name, params }));
    // Variants that CLI ids do not distinguish, for example by context window, use upstream's own spelling.
    const id = taken.has(slug) ? variant.variantStringRepresentation || slug : slug;
    taken.add(id);
    return listedAs(id, model, variant);
  });
}

function listedAs(id: string, model: AvailableModel, variant: ModelVariant | undefined): ListedModel {
  const maxMode = variant?.isMaxMode ?? false;
  const limit = maxMode ? model.contextTokenLimitForMaxMode : model.contextTokenLimit;
  const params = (variant?.parameterValues ?? []).map((param) => ({ id: param.id, value: param.value }));
  return {
    id,
    name: visibleName(variant?.displayNameOutsidePicker || model.clientDisplayName || model.name) || id,
    isCurrent: false,
    isDefault: false,
    details: {
      upstream: { id: model.name, params },
      maxMode,
      ...(limit === undefined ? {} : { contextTokens: limit }),
      ...(model.supportsImages === undefined ? {} : { images: model.supportsImages }),
    },
  };
}

function plainModel({ modelId, displayName, maxMode = false }: UsableModel): ListedModel {
  return {
    id: idOf(modelId),
    name: visibleName(displayName) || modelId,
    isCurrent: false,
    isDefault: false,
    details: { upstream: { id: modelId, params: [] }, maxMode },
  };
}

/** Upstream calls the model that chooses a model `default`. */
function idOf(name: string): string {
  const { base } = fromApiModel({ id: name, params: [] });
  return base === AUTO_MODEL ? AUTO_MODEL : name;
}
