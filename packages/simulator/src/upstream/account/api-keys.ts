import type { Ids } from "../../process/ids.ts";
import { isBadKey } from "./tokens.ts";

/** A key as its owner may see it later: by its first and last letters. */
export interface ListedKey {
  readonly id: number;
  readonly maskedKey: string;
  readonly name: string;
  readonly createdAt: bigint;
  readonly expiresAt?: bigint;
}

/** The API keys of the simulated account. */
export interface ApiKeys {
  create(name: string, expiresAt: bigint | undefined): string;
  list(): ListedKey[];
  /** From now on the key is exchanged for nothing. */
  revoke(id: number): void;
  /** Any key is good that was not revoked and does not say of itself that it is bad. */
  isGood(key: string): boolean;
}

interface KeptKey extends ListedKey {
  readonly key: string;
}

export function createApiKeys(ids: Ids, now: () => number): ApiKeys {
  const kept = new Map<number, KeptKey>();
  const revoked = new Set<string>();
  let created = 0;
  return {
    create(name, expiresAt) {
      const key = `key_${ids.short(32)}`;
      created += 1;
      const maskedKey = `${key.slice(0, 8)}…${key.slice(-4)}`;
      const expiry = expiresAt === undefined ? {} : { expiresAt };
      kept.set(created, { id: created, key, maskedKey, name, createdAt: BigInt(now()), ...expiry });
      return key;
    },
    list: () => [...kept.values()].map(({ key: _key, ...listed }) => listed),
    revoke(id) {
      const found = kept.get(id);
      if (found !== undefined) revoked.add(found.key);
      kept.delete(id);
    },
    isGood: (key) => !isBadKey(key) && !revoked.has(key),
  };
}
