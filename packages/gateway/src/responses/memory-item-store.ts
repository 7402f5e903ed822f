import type { ItemStore, KeptResponse } from "./item-store.ts";
import type { OutputItem } from "./output-item.ts";

const DEFAULT_MAX_RESPONSES = 1000;
const DEFAULT_MAX_CHARACTERS = 32 * 1024 * 1024;

export interface MemoryItemStoreOptions {
  readonly maxResponses?: number;
  /** Of all that is kept, written as JSON. */
  readonly maxCharacters?: number;
}

interface Entry {
  readonly response: KeptResponse;
  readonly characters: number;
}

/** Keeps the most recently used responses, within two bounds. */
export function createMemoryItemStore(options: MemoryItemStoreOptions = {}): ItemStore {
  const { maxResponses = DEFAULT_MAX_RESPONSES, maxCharacters = DEFAULT_MAX_CHARACTERS } = options;
  /** In the order of use: a Map tells its oldest entry first. */
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

  function forgetOldest(): void {
    for (const [key, entry] of responses) {
      if (responses.size <= maxResponses && characters <= maxCharacters) return;
      responses.delete(key);
      characters -= entry.characters;
      const [owner = ""] = key.split("\n", 1);
      for (const { id } of entry.response.output) items.delete(keyOf(owner, id));
    }
  }

  return {
    keep(owner, response) {
      const responseKey = keyOf(owner, response.id);
      const entry = { response, characters: JSON.stringify(response).length };
      // It would push everything else out and not fit even then.
      if (entry.characters > maxCharacters) return;
      responses.set(responseKey, entry);
      characters += entry.characters;
      for (const item of response.output) items.set(keyOf(owner, item.id), { item, responseKey });
      forgetOldest();
    },
    findItem(owner, itemId) {
      const found = items.get(keyOf(owner, itemId));
      if (found !== undefined) use(found.responseKey);
      return found?.item;
    },
    findChain(owner, responseId) {
      const chain: KeptResponse[] = [];
      let id: string | undefined = responseId;
      while (id !== undefined) {
        const response = use(keyOf(owner, id));
        if (response === undefined) return undefined;
        chain.unshift(response);
        id = response.previousId;
      }
      return chain;
    },
  };
}

/** Token names hold no line break, so that no owner can name another's key. */
function keyOf(owner: string, id: string): string {
  return `${owner.replaceAll("\n", " ")}\n${id}`;
}
