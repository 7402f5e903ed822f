import { type Effort, type ModelParams, parseModelSlug } from "@caret/protocol";

export interface ModelVariant {
  /** The id exactly as listed. */
  readonly id: string;
  readonly params: ModelParams;
}

/** Two or more listed ids that differ only in their parameters. */
export interface ModelFamily {
  readonly base: string;
  readonly variants: readonly [ModelVariant, ...ModelVariant[]];
  /** The variant that the base alone means. */
  readonly defaultId: string;
}

/** Every listed id is either a variant of one family or a direct model. Both keep the listed order. */
export interface ModelCatalogue {
  readonly families: readonly ModelFamily[];
  readonly direct: readonly string[];
}

/** Efforts in order of preference when none was requested; `undefined` is the bare id. */
const effortPreference: readonly (Effort | undefined)[] = [
  undefined,
  "medium",
  "high",
  "low",
  "minimal",
  "none",
  "xhigh",
  "max",
];

/** Groups whatever ids upstream lists. Knows only how ids are built, not today's models. */
export function groupModels(ids: readonly string[]): ModelCatalogue {
  const groups = new Map<string, ModelVariant[]>();
  const direct = new Set<string>();
  const listed = [...new Set(ids)];
  for (const id of listed) {
    const { base, params } = parseModelSlug(id);
    const group = groups.get(base) ?? [];
    groups.set(base, group);
    // A second spelling of the same variant has the same parameters, so it stands alone.
    if (group.some((variant) => isSpelledAlike(variant.params, params))) direct.add(id);
    else group.push({ id, params });
  }
  const families: ModelFamily[] = [];
  for (const [base, [first, ...rest]] of groups) {
    if (first === undefined) continue;
    if (rest.length === 0) direct.add(first.id);
    else families.push({ base, variants: [first, ...rest], defaultId: defaultVariant([first, ...rest]).id });
  }
  return { families, direct: listed.filter((id) => direct.has(id)) };
}

export function catalogueIds({ families, direct }: ModelCatalogue): readonly string[] {
  return [...direct, ...families.flatMap(({ variants }) => variants.map(({ id }) => id))];
}

/**
 * The variant of a family that matches the request; among several, the plainest. `fast` is never chosen unrequested: it costs a multiple.
 */
export function pickVariant(family: ModelFamily, wanted: ModelParams): ModelVariant | undefined {
  const fitting = family.variants.filter(({ params }) => satisfies(params, wanted));
  // A bare id also means medium effort and the usual context, but an explicit one is the better answer to an explicit request.
  const sized = preferred(fitting, ({ params }) => params.context === wanted.context);
  const [first, ...rest] = preferred(sized, ({ params }) => params.effort === wanted.effort);
  return first === undefined ? undefined : defaultVariant([first, ...rest]);
}

/** The matching variants, or all if none matches. */
function preferred(
  variants: readonly ModelVariant[],
  fits: (variant: ModelVariant) => boolean,
): readonly ModelVariant[] {
  const fitting = variants.filter(fits);
  return fitting.length > 0 ? fitting : variants;
}

function defaultVariant(variants: readonly [ModelVariant, ...ModelVariant[]]): ModelVariant {
  return variants.reduce((best, variant) => (preference(variant) < preference(best) ? variant : best));
}

/**
 * Makes explicit what a CLI id implies, for spellings with different upstream defaults: `composer-2` without `-fast` means `fast=false`,
 * while ACP's `composer-2[]` may well be fast.
 */
export function explicitParams(family: ModelFamily, params: ModelParams): ModelParams {
  const hasThinking = family.variants.some((variant) => variant.params.thinking);
  const hasFast = family.variants.some((variant) => variant.params.fast);
  return { ...(hasThinking && { thinking: false }), ...(hasFast && { fast: false }), ...params };
}

function satisfies(params: ModelParams, wanted: ModelParams): boolean {
  if ((wanted.fast ?? false) !== (params.fast ?? false)) return false;
  if (wanted.thinking !== undefined && wanted.thinking !== (params.thinking ?? false)) return false;
  if (wanted.context !== undefined && params.context !== undefined && wanted.context !== params.context) return false;
  return wanted.effort === undefined || wanted.effort === (params.effort ?? "medium");
}

/** Not fast before fast, the usual context before another, not thinking before thinking, then by effort. */
function preference({ params }: ModelVariant): number {
  const { fast, context, thinking, effort } = params;
  return (fast ? 1000 : 0) + (context === undefined ? 0 : 100) + (thinking ? 10 : 0) + effortPreference.indexOf(effort);
}

/** Literally equal: a bare id and its `-medium` sibling are two variants here, because both can be listed. */
function isSpelledAlike(one: ModelParams, other: ModelParams): boolean {
  return (
    one.effort === other.effort &&
    one.thinking === other.thinking &&
    one.fast === other.fast &&
    one.context === other.context
  );
}
