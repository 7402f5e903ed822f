import type { DirectoryModel } from "./model-directory.ts";

const MAX_LIMIT = 1000;

/** A model as Anthropic's clients read it. Their API, too, gives the epoch for an unknown date. */
export function toAnthropicModel({ id, name, created }: DirectoryModel) {
  return { type: "model", id, display_name: name, created_at: new Date(created ?? 0).toISOString() } as const;
}

export interface PageWish {
  readonly limit?: unknown;
  readonly after_id?: unknown;
  readonly before_id?: unknown;
}

/** A page of models; all of them when no limit was asked for. */
export function toAnthropicModels(models: readonly DirectoryModel[], wish: PageWish = {}) {
  const limit = Math.min(Math.max(Math.trunc(Number(wish.limit)) || MAX_LIMIT, 1), MAX_LIMIT);
  const after = models.findIndex(({ id }) => id === wish.after_id) + 1;
  const before = models.findIndex(({ id }) => id === wish.before_id);
  const backwards = before !== -1;
  const range = models.slice(after, backwards ? before : undefined);
  const page = backwards ? range.slice(-limit) : range.slice(0, limit);
  return {
    data: page.map(toAnthropicModel),
    has_more: page.length < range.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  } as const;
}
