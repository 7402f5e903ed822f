import { AUTO_MODEL, parseModelName, toApiModel } from "../../models/model-spellings.ts";
import type { ListedModel } from "../../models/parse-model-list.ts";
import type { RequestedModelInit } from "./run-request.ts";

/** A name with its parameters in brackets is one of the upstream's own spellings, and only right as it stands. */
const bracketed = /\[[^[\]=]*=[^[\]]*\]$/;

/**
 * The model of a turn as the upstream names it: `auto` is its `default`, a listed name has its parameters, and any other
 * is passed on for the upstream to judge. `listed` is only asked where it matters.
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
