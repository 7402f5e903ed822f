import { CaretError, type Effort, type ModelChoice, type ModelParams, parseModelSlug } from "@caret/protocol";
import { didYouMean } from "./did-you-mean.ts";
import { findAlias } from "./model-aliases.ts";
import {
  catalogueIds,
  explicitParams,
  type ModelCatalogue,
  type ModelFamily,
  type ModelVariant,
  pickVariant,
} from "./model-families.ts";
import { AUTO_MODEL, parseModelName } from "./model-spellings.ts";

/** Limit on how much of a client's name is echoed. */
const MAX_SHOWN = 100;

/** A request's wishes for its model, as a door read them from the body. */
export interface ModelRequest {
  /** OpenCode's own field for a concrete model; overrides `model`. */
  readonly cursorModel?: string | undefined;
  /** May have the prefix of a router in front of us: `cursor-acp/`, `caret/` … */
  readonly model?: string | undefined;
  /** From `reasoning_effort`, `reasoning.effort` or the like. */
  readonly effort?: Effort | undefined;
  readonly thinking?: boolean | undefined;
}

export interface ResolvedModel extends ModelChoice {
  /** The CLI's id. */
  readonly id: string;
}

/**
 * Resolves a client's request to a model that upstream lists.
 *
 * Parameters in the name take precedence; those of the request fill the gaps if the model has such a variant, and are dropped if not. An
 * unknown name throws `model-unknown` with the nearest names. An empty catalogue means that the models could not be listed: the name is
 * passed on and upstream decides.
 */
export function resolveModel(request: ModelRequest, catalogue: ModelCatalogue): ResolvedModel {
  const ids = catalogueIds(catalogue);
  const name = requestedName(request, ids);
  const choice = parseModelName(name);
  if (choice.base === AUTO_MODEL) return { id: AUTO_MODEL, base: AUTO_MODEL, params: {} };
  if (ids.length === 0) return { id: name, ...choice };
  const resolved =
    resolveListed(findId(ids, name), request, catalogue) ??
    resolveBase(choice.base, choice.params, request, catalogue) ??
    resolveAlias(choice, request, catalogue);
  if (resolved === undefined) throw unknownModel(name, ids);
  return resolved;
}

function unknownModel(name: string, ids: readonly string[]): CaretError {
  const fix = `${didYouMean(name, ids)}\`caret models\` prints them all.`;
  return new CaretError("model-unknown", `There is no model "${name.slice(0, MAX_SHOWN)}" in Cursor's list`, { fix });
}

/** Strips the prefix unless it is part of a listed id. */
function requestedName({ cursorModel, model }: ModelRequest, ids: readonly string[]): string {
  const name = [cursorModel, model].map((text) => text?.trim()).find((text) => text !== undefined && text !== "");
  if (name === undefined) return AUTO_MODEL;
  const unprefixed = name.slice(name.lastIndexOf("/") + 1);
  return findId(ids, name) === undefined && unprefixed !== "" ? unprefixed : name;
}

/** Case-insensitive, like the CLI itself. */
function findId(ids: readonly string[], name: string): string | undefined {
  return ids.find((id) => id.toLowerCase() === name.toLowerCase());
}

function resolveListed(
  id: string | undefined,
  request: ModelRequest,
  catalogue: ModelCatalogue,
): ResolvedModel | undefined {
  if (id === undefined) return undefined;
  const family = catalogue.families.find(({ variants }) => variants.some((variant) => variant.id === id));
  if (family === undefined) return { id, base: id, params: {} };
  const named = parseModelSlug(id).params;
  return toResolved(family, named, refine(family, named, request));
}

/** Handles a base that is not itself listed, another word order, or another spelling of a parameter. */
function resolveBase(
  base: string,
  params: ModelParams,
  request: ModelRequest,
  catalogue: ModelCatalogue,
): ResolvedModel | undefined {
  const names = [base.toLowerCase(), `cursor-${base.toLowerCase()}`];
  const family = catalogue.families.find((candidate) => names.includes(candidate.base.toLowerCase()));
  if (family !== undefined) return toResolved(family, params, refine(family, params, request));
  const id = catalogue.direct.find((candidate) => names.includes(candidate.toLowerCase()));
  if (id === undefined) return undefined;
  const { context, ...variant } = params;
  // A direct model has no variants: only a name without variant words can mean it. A context window is not a variant in the CLI.
  if (Object.keys(variant).length > 0) return undefined;
  return { id, base: id, params: context === undefined ? {} : { context } };
}

function resolveAlias(
  { base, params }: ModelChoice,
  request: ModelRequest,
  catalogue: ModelCatalogue,
): ResolvedModel | undefined {
  // A model listed under this very name, even without the requested variant, is not a foreign name.
  if (resolveBase(base, {}, request, catalogue) !== undefined) return undefined;
  const alias = findAlias(base, catalogue);
  if (alias === undefined) return undefined;
  return resolveBase(alias, params, request, catalogue) ?? resolveBase(alias, {}, request, catalogue);
}

/** The variant that satisfies the name and as much of the request as possible. */
function refine(family: ModelFamily, named: ModelParams, request: ModelRequest): ModelVariant | undefined {
  const effort = request.effort === undefined ? {} : { effort: request.effort };
  const thinking = request.thinking === undefined ? {} : { thinking: request.thinking };
  for (const asked of [{ ...effort, ...thinking }, effort, thinking, {}]) {
    const variant = pickVariant(family, { ...asked, ...named });
    if (variant !== undefined) return variant;
  }
  return undefined;
}

function toResolved(
  family: ModelFamily,
  { context }: ModelParams,
  variant: ModelVariant | undefined,
): ResolvedModel | undefined {
  if (variant === undefined) return undefined;
  const params = explicitParams(family, variant.params);
  return { id: variant.id, base: family.base, params: context === undefined ? params : { ...params, context } };
}
