import type { ResponseArchive } from "../item-store.ts";

/** An archive that several gateways share. */
export function sharedArchive(): ResponseArchive & { clear(): void } {
  const bodies = new Map<string, string>();
  const items = new Map<string, string>();
  const key = (owner: string, id: string) => `${owner} ${id}`;
  return {
    /** As when all sessions are deleted. */
    clear: () => bodies.clear(),
    async put(owner, { id, itemIds, body }) {
      bodies.set(key(owner, id), body);
      for (const itemId of itemIds) items.set(key(owner, itemId), id);
    },
    find: async (owner, by) => bodies.get(key(owner, "id" in by ? by.id : (items.get(key(owner, by.itemId)) ?? ""))),
  };
}
