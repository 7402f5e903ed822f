import { AUTO_MODEL, parseModelName, toApiModel } from "../../models/model-spellings.ts";
import type { RequestedModelInit } from "./run-request.ts";

/** A name with its parameters in brackets is one of the upstream's own spellings, and only right as it stands. */
const bracketed = /\[[^[\]]*=[^[\]]*\]$/;

/** The model of a turn as the upstream names it: `auto` is its `default`, everything else keeps the listed name. */
export function requestedModelOf(name: string): RequestedModelInit {
  if (bracketed.test(name)) return { modelId: name, isVariantStringRepresentation: true };
  if (parseModelName(name).base === AUTO_MODEL) return { modelId: toApiModel({ base: AUTO_MODEL, params: {} }).id };
  return { modelId: name };
}
