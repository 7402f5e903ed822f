import { AUTO_MODEL, parseModelName, toApiModel } from "../../models/model-spellings.ts";
import type { ListedModel } from "../../models/parse-model-list.ts";
import type { RequestedModelInit } from "./run-request.ts";

/** A name with parameters in brackets is upstream's own spelling and must be passed unchanged. */
const bracketed = /\[[^[\]=]*=[^[\]]*\]$/;

/**
 * A turn's model in upstream's terms: `auto` is its `default`, a listed name has its parameters, and any other is passed on for upstream
 * to judge. `listed` is called only if needed.
 */
export async function requestedModelOf(
  name: string,
  listed: () => Promise<readonly ListedModel[]>,
): Promise<RequestedModelInit> {
  if (parseModelName(name).base === AUTO_MODEL) return { modelId: toApiModel({ base: AUTO_MODEL, params: {} }).id };
  if (bracketed.test(name)) return { modelId: name, isVariantStringRepresentation: true };
  const { upstream, maxMode = false } = (await listed()).find(({ id }) => id === name)?.details ?? {};
  if (upstream === undefined) return { modelId: name };
  return { modelId: upstream.id, maxMode, parameters: upstream.params.map(({ id, value }) => ({ id, value })) };
}
