import { setAside } from "./open-database.ts";
import { isUnusable } from "./storage-error.ts";

interface Closable {
  close(): void;
}

export interface RenewableStoreOptions<Store extends Closable> {
  readonly path: string;
  readonly open: (path: string) => Store;
  readonly now: () => number;
  /** Called when the file was unusable, with the name it was kept under and the reason. */
  readonly onDamage: (keptAs: string, reason: unknown) => void;
}

export interface RenewableStore<Store extends Closable> {
  use<Result>(work: (store: Store) => Result): Result;
  close(): void;
}

/**
 * A database that can be lost without losing content. If it is damaged, at the start or later, it is put aside and recreated; any other
 * error is thrown.
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
