import type { DirectoryModel } from "./model-directory.ts";

const OWNER = "cursor";

/** A model as OpenAI's clients read it, with its name and variants for those that know Caret. */
export function toOpenaiModel({ id, name, created, variants }: DirectoryModel) {
  return {
    id,
    object: "model",
    // The format demands a date; the epoch stands for one that nobody told us.
    created: Math.floor((created ?? 0) / 1000),
    owned_by: OWNER,
    name,
    ...(variants === undefined ? {} : { variants }),
  } as const;
}

export function toOpenaiModels(models: readonly DirectoryModel[]) {
  return { object: "list", data: models.map(toOpenaiModel) } as const;
}
