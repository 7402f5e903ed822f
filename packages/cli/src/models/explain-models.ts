import { type DirectoryModel, type ModelParams, parseModelSlug } from "@caret/protocol";

/** A family, and why its ids belong together. */
export interface ExplainedFamily {
  readonly id: string;
  readonly name: string;
  /** The id that the family's own id runs. */
  readonly target: string;
  readonly why: string;
  readonly variants: readonly ExplainedVariant[];
}

export interface ExplainedVariant {
  /** Its parameters as one word, as clients display it. */
  readonly variant: string;
  readonly id: string;
  readonly isTarget: boolean;
}

/** A model that belongs to no family, and why. */
export interface ExplainedModel {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

export interface ExplainedModels {
  readonly families: readonly ExplainedFamily[];
  readonly direct: readonly ExplainedModel[];
}

export function explainModels(models: readonly DirectoryModel[]): ExplainedModels {
  const families = models.flatMap((model) => (model.variants === undefined ? [] : [explainFamily(model)]));
  const direct = models
    .filter(({ variants }) => variants === undefined)
    .map(({ id, name }) => ({ id, name, why: whyAlone(id, families) }));
  return { families, direct };
}

/** `thinking-high-fast`: the parameters in spoken order; `default` if there are none. */
export function variantName({ thinking, effort, context, fast }: ModelParams): string {
  const words = [thinking ? "thinking" : undefined, effort, context, fast ? "fast" : undefined];
  return words.filter((word) => word !== undefined).join("-") || "default";
}

function explainFamily({ id, name, variants = [], defaultVariant = id }: DirectoryModel): ExplainedFamily {
  const params = variants.map((variant) => parseModelSlug(variant.id).params);
  const differing = (["effort", "thinking", "context", "fast"] as const).filter(
    (key) => new Set(params.map((one) => one[key])).size > 1,
  );
  const why = `${variants.length} ids with the base ${id} that differ only in ${differing.map(said).join(", ")}`;
  return {
    id,
    name,
    target: defaultVariant,
    why: `${why}; by itself it means ${defaultVariant}: ${whyTarget(parseModelSlug(defaultVariant).params)}`,
    variants: variants.map((variant) => ({
      variant: variantName(parseModelSlug(variant.id).params),
      id: variant.id,
      isTarget: variant.id === defaultVariant,
    })),
  };
}

const said = (key: keyof ModelParams): string => (key === "fast" ? "speed" : key);

/** Follows the order of `groupModels`: expensive or unrequested parameters come last. */
function whyTarget({ fast, context, thinking, effort }: ModelParams): string {
  if (fast) return "all of them are fast";
  if (context !== undefined) return "all that are not fast name a context";
  if (thinking) return "all that are not fast are thinking";
  return effort === undefined ? "the id without parameters" : `not fast, and of its efforts ${effort} comes first`;
}

function whyAlone(id: string, families: readonly ExplainedFamily[]): string {
  const { base, params } = parseModelSlug(id);
  const twin = families
    .find((family) => family.id === base)
    ?.variants.find(({ variant }) => variant === variantName(params));
  if (twin !== undefined) return `another spelling of ${twin.id}, so it stands beside its family`;
  return `no other id has the base ${base}`;
}
