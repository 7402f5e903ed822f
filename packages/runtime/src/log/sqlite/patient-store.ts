import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import { within } from "../../async/within.ts";
import type { RenewableStore } from "./renewable-store.ts";
import { isBusy } from "./storage-error.ts";

/** How long another process may hold the file before waiting work fails. */
const PATIENCE_MS = 30_000;
/** The same when the gateway stops. */
const LAST_PATIENCE_MS = 2_000;
const PAUSE_MS = 20;

/**
 * A database that another process may hold for a while. Nothing here blocks the thread: work that finds the file held is retried later
 * while everything else continues. The connection must give up at once (`busyTimeoutMs: 0`).
 */
export interface PatientStore<Store> {
  /** At once if the file is free, otherwise as soon as it is. */
  read<Result>(work: (store: Store) => Result): Result | Promise<Result>;
  /** In order, each as soon as possible. A failure is passed to `onFailure`, and later writes continue. */
  write(work: (store: Store) => void, onFailure: (reason: unknown) => void): void;
  /** Resolves when everything written until now is on disk or has failed. */
  settled(): Promise<void>;
  /** Writes what can be written soon; the rest fails. */
  close(): Promise<void>;
}

interface Write<Store> {
  readonly work: (store: Store) => void;
  readonly onFailure: (reason: unknown) => void;
  readonly since: number;
}

export function createPatientStore<Store extends { close(): void }>(
  { use }: Pick<RenewableStore<Store>, "use">,
  now: () => number,
): PatientStore<Store> {
  const waiting: Write<Store>[] = [];
  let draining: Promise<void> | undefined;

  /** Whether it is over: done or failed. */
  const attempt = ({ work, onFailure, since }: Write<Store>): boolean => {
    try {
      use(work);
    } catch (reason) {
      if (isBusy(reason) && now() - since < PATIENCE_MS) return false;
      onFailure(reason);
    }
    return true;
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      await sleep(PAUSE_MS);
      while (waiting[0] !== undefined && attempt(waiting[0])) waiting.shift();
    }
    draining = undefined;
  };

  const readLater = async <Result>(work: (store: Store) => Result): Promise<Result> => {
    const since = now();
    for (;;) {
      await sleep(PAUSE_MS);
      try {
        return use(work);
      } catch (reason) {
        if (!isBusy(reason) || now() - since >= PATIENCE_MS) throw reason;
      }
    }
  };

  return {
    read(work) {
      try {
        return use(work);
      } catch (reason) {
        if (!isBusy(reason)) throw reason;
        return readLater(work);
      }
    },
    write(work, onFailure) {
      const write = { work, onFailure, since: now() };
      if (waiting.length === 0 && attempt(write)) return;
      waiting.push(write);
      draining ??= drain();
    },
    async settled() {
      await draining;
    },
    async close() {
      if (draining !== undefined) await within(draining, LAST_PATIENCE_MS);
      const left = waiting.splice(0);
      for (const { onFailure } of left)
        onFailure(new CaretError("storage-failed", "Another process held the file to the end"));
    },
  };
}
