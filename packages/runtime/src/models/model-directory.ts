import { type DirectoryModel, type ModelDirectory, type RequestedModel, toEffort } from "@caret/protocol";
import type { ModelCache, ModelList } from "./model-cache.ts";
import { groupModels, type ModelCatalogue } from "./model-families.ts";
import { AUTO_MODEL } from "./model-spellings.ts";
import { type ResolvedModel, resolveModel } from "./resolve-model.ts";

/** The port, plus what commands need. */
export interface RuntimeModels extends ModelDirectory {
  /** Resolves a name and explains the result. Rejects as `resolve` does. */
  explain(requested: RequestedModel): Promise<ResolvedModel>;
}

export interface ModelDirectoryOptions {
  readonly cache: ModelCache;
  /** Models with their own entry in the configuration. */
  readonly named: readonly string[];
  /** The model of requests that name none. */
  readonly defaultModel: string;
}

const nothing: ModelCatalogue = { families: [], direct: [] };
/** Always available, even while the list is unknown. */
const autoModel: DirectoryModel = { id: AUTO_MODEL, name: "Auto", isDefault: false };

export function createModelDirectory({ cache, named, defaultModel }: ModelDirectoryOptions): RuntimeModels {
  let grouped: { readonly of: ModelList; readonly catalogue: ModelCatalogue } | undefined;
  const catalogueOf = (list: ModelList): ModelCatalogue => {
    if (grouped?.of !== list) grouped = { of: list, catalogue: groupModels(list.models.map(({ id }) => id)) };
    return grouped.catalogue;
  };
  const toModels = (list: ModelList | undefined): readonly DirectoryModel[] => [
    ...named.map((id) => ({ id, name: id, isDefault: id === defaultModel })),
    ...(list === undefined ? [autoModel] : listed(list, catalogueOf(list))),
  ];

  const explain = async (requested: RequestedModel): Promise<ResolvedModel> => {
    const asked = [requested.cursorModel, requested.model].find((name) => name !== undefined && name.trim() !== "");
    const name = asked ?? defaultModel;
    const own = named.find((candidate) => candidate === name || name.endsWith(`/${candidate}`));
    if (own !== undefined) return { id: own, base: own, params: {} };
    // The commonest request needs no list, and the first list can take seconds.
    if (name === AUTO_MODEL) return { id: AUTO_MODEL, base: AUTO_MODEL, params: {} };
    // Without a model list the name is passed on, for upstream to check.
    const list = await cache.get().catch(() => undefined);
    const request = { model: name, effort: toEffort(requested.effort), thinking: requested.thinking };
    return resolveModel(request, list === undefined ? nothing : catalogueOf(list));
  };

  return {
    list: async () => toModels(await cache.get()),
    refresh: async () => toModels(await cache.refresh()),
    explain,
    resolve: async (requested) => (await explain(requested)).id,
  };
}

/** One entry per family, under its own name, and one per model without a family; `auto` always first. */
function listed({ models }: ModelList, { families, direct }: ModelCatalogue): readonly DirectoryModel[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  const nameOf = (id: string): string => byId.get(id)?.name ?? id;
  const isDefault = (id: string): boolean => byId.get(id)?.isDefault ?? false;
  const single = direct.map((id) => ({ id, name: nameOf(id), isDefault: isDefault(id), ...limitsOf(byId.get(id)) }));
  const grouped = families.map(({ base, variants, defaultId }) => ({
    id: base,
    name: nameOf(defaultId),
    isDefault: variants.some(({ id }) => isDefault(id)),
    variants: variants.map(({ id }) => ({ id, name: nameOf(id) })),
    defaultVariant: defaultId,
    ...limitsOf(byId.get(defaultId)),
  }));
  const auto = single.find(({ id }) => id === AUTO_MODEL) ?? autoModel;
  return [auto, ...single.filter(({ id }) => id !== AUTO_MODEL), ...grouped];
}

/** The limits upstream reports, if any. */
function limitsOf(
  model: ModelList["models"][number] | undefined,
): Pick<DirectoryModel, "contextTokens" | "images" | "maxMode"> {
  const { contextTokens, images, maxMode } = model?.details ?? {};
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(images === undefined ? {} : { images }),
    ...(maxMode === true && { maxMode }),
  };
}
