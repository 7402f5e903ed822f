import type { KeptResponse, OutputItem } from "../item-store.ts";

const DEFAULT_MAX_RESPONSES = 1000;
const DEFAULT_MAX_CHARACTERS = 32 * 1024 * 1024;

export interface MemoryLimits {
  readonly maxResponses?: number;
  /** Total size of what is kept, as JSON. */
  readonly maxCharacters?: number;
}

interface Entry {
  readonly response: KeptResponse;
  readonly characters: number;
}

export type ResponseMemory = ReturnType<typeof createResponseMemory>;

/** This process's memory of responses; evicts the least recently used. */
export function createResponseMemory(options: MemoryLimits) {
  const { maxResponses = DEFAULT_MAX_RESPONSES, maxCharacters = DEFAULT_MAX_CHARACTERS } = options;
  /** In order of use: a Map iterates its oldest entry first. */
  const responses = new Map<string, Entry>();
  const items = new Map<string, { readonly item: OutputItem; readonly responseKey: string }>();
  let characters = 0;

  function use(key: string): KeptResponse | undefined {
    const entry = responses.get(key);
    if (entry === undefined) return undefined;
    responses.delete(key);
    responses.set(key, entry);
    return entry.response;
  }

  function forget(owner: string, responseId: string): void {
    const key = keyOf(owner, responseId);
    const entry = responses.get(key);
    if (entry === undefined) return;
    responses.delete(key);
    characters -= entry.characters;
    for (const { id } of entry.response.output) items.delete(keyOf(owner, id));
  }

  function forgetOldest(): void {
    for (const [key, { response }] of responses) {
      if (responses.size <= maxResponses && characters <= maxCharacters) return;
      const [owner = ""] = key.split("\n", 1);
      forget(owner, response.id);
    }
  }

  return {
    use,
    forget,
    remember(owner: string, response: KeptResponse, size: number): void {
      // It would evict everything else and still not fit.
      if (size > maxCharacters) return;
      const responseKey = keyOf(owner, response.id);
      forget(owner, response.id);
      responses.set(responseKey, { response, characters: size });
      characters += size;
      for (const item of response.output) items.set(keyOf(owner, item.id), { item, responseKey });
      forgetOldest();
    },
    findItem(owner: string, itemId: string): OutputItem | undefined {
      const found = items.get(keyOf(owner, itemId));
      if (found !== undefined) use(found.responseKey);
      return found?.item;
    },
  };
}

/** Replaces line breaks in the owner, so no owner can forge another's key. */
export function keyOf(owner: string, id: string): string {
  return `${owner.replaceAll("\n", " ")}\n${id}`;
}
