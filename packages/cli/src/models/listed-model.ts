import { type DirectoryModel, type PriceRow, parseModelSlug, priceOf } from "@caret/protocol";
import { variantName } from "./explain-models.ts";

/** A model as a client's own list should name it. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly price?: PriceRow;
  readonly contextTokens?: number;
  /** For a family: the concrete ids by variant name, and the one it runs by default. */
  readonly family?: { readonly target: string; readonly variants: ReadonlyMap<string, string> };
}

/** Every upstream id as a separate model. */
export function directModels(models: readonly DirectoryModel[]): readonly ListedModel[] {
  const all = models.flatMap((model) => {
    const { contextTokens } = model;
    const ids = model.variants ?? [{ id: model.id, name: model.name }];
    return ids.map(({ id, name }) => listed({ id, name, contextTokens }));
  });
  return once(all);
}

/** One entry per family, with its variants, and one per model without a family. */
export function compactModels(models: readonly DirectoryModel[]): readonly ListedModel[] {
  const all = models.map(({ id, name, contextTokens, variants, defaultVariant = id }) => {
    if (variants === undefined) return listed({ id, name, contextTokens });
    const named = variants
      .map((variant) => [variantName(parseModelSlug(variant.id).params), variant.id] as const)
      // The id without parameters is the family's own meaning.
      .filter(([variant]) => variant !== "default");
    return {
      ...listed({ id, name, contextTokens }, defaultVariant),
      family: { target: defaultVariant, variants: new Map(named) },
    };
  });
  return once(all);
}

/** Drops duplicates: the configuration can name a model that Cursor lists too. */
function once(models: readonly ListedModel[]): readonly ListedModel[] {
  return [...new Map(models.toReversed().map((model) => [model.id, model])).values()].toReversed();
}

function listed(
  {
    id,
    name,
    contextTokens,
  }: { readonly id: string; readonly name: string; readonly contextTokens: number | undefined },
  priced = id,
): ListedModel {
  const price = priceOf(priced);
  return {
    id,
    name,
    ...(price === undefined ? {} : { price }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}
