import { setAside } from "./open-database.ts";
import { isUnusable } from "./storage-error.ts";

interface Closable {
  close(): void;
}

export interface RenewableStoreOptions<Store extends Closable> {
  readonly path: string;
  readonly open: (path: string) => Store;
  readonly now: () => number;
  /** Hears that the file was unusable, under which name it was kept, and why. */
  readonly onDamage: (keptAs: string, reason: unknown) => void;
}

export interface RenewableStore<Store extends Closable> {
  use<Result>(work: (store: Store) => Result): Result;
  close(): void;
}

/**
 * A database that can be lost without losing a word. One that is damaged, found so at the start or later, is put aside and
 * made again; anything else that goes wrong is thrown.
 */
export function openRenewableStore<Store extends Closable>(
  options: RenewableStoreOptions<Store>,
): RenewableStore<Store> {
  const { path, open, now, onDamage } = options;
  let store: Store | undefined;

  function attempt<Result>(work: (store: Store) => Result): Result {
    store ??= open(path);
    return work(store);
  }

  return {
    use(work) {
      try {
        return attempt(work);
      } catch (reason) {
        if (!isUnusable(reason)) throw reason;
        store?.close();
        store = undefined;
        onDamage(setAside(path, now), reason);
        return attempt(work);
      }
    },
    close: () => store?.close(),
  };
}
