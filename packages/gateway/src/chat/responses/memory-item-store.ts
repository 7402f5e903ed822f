import type { ItemStore, KeptResponse, ResponseArchive } from "./item-store.ts";
import type { OutputItem } from "./output-item.ts";

const DEFAULT_MAX_RESPONSES = 1000;
const DEFAULT_MAX_CHARACTERS = 32 * 1024 * 1024;

export interface MemoryItemStoreOptions {
  readonly maxResponses?: number;
  /** Of all that is kept, written as JSON. */
  readonly maxCharacters?: number;
  /** Keeps them for longer, and over restarts. */
  readonly archive?: ResponseArchive | undefined;
}

interface Entry {
  readonly response: KeptResponse;
  readonly characters: number;
}

/** Keeps the most recently used responses, within two bounds; the others are looked for in the archive, if there is one. */
export function createMemoryItemStore(options: MemoryItemStoreOptions = {}): ItemStore {
  const { maxResponses = DEFAULT_MAX_RESPONSES, maxCharacters = DEFAULT_MAX_CHARACTERS, archive } = options;
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

  function remember(owner: string, response: KeptResponse, size: number): void {
    // It would push everything else out and not fit even then.
    if (size > maxCharacters) return;
    const responseKey = keyOf(owner, response.id);
    responses.set(responseKey, { response, characters: size });
    characters += size;
    for (const item of response.output) items.set(keyOf(owner, item.id), { item, responseKey });
    forgetOldest();
  }

  function recall(owner: string, by: Parameters<ResponseArchive["find"]>[1]): KeptResponse | undefined {
    const body = archive?.find(owner, by);
    if (body === undefined) return undefined;
    const response = JSON.parse(body) as KeptResponse;
    remember(owner, response, body.length);
    return response;
  }

  return {
    keep(owner, response, sessionId) {
      const body = JSON.stringify(response);
      remember(owner, response, body.length);
      archive?.put(owner, { id: response.id, itemIds: response.output.map(({ id }) => id), sessionId, body });
    },
    findItem(owner, itemId) {
      const found = items.get(keyOf(owner, itemId));
      if (found === undefined) return recall(owner, { itemId })?.output.find(({ id }) => id === itemId);
      use(found.responseKey);
      return found.item;
    },
    findChain(owner, responseId) {
      const chain: KeptResponse[] = [];
      let id: string | undefined = responseId;
      while (id !== undefined) {
        const response: KeptResponse | undefined = use(keyOf(owner, id)) ?? recall(owner, { id });
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
