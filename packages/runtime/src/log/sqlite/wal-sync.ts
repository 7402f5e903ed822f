import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

/**
 * Makes commits durable off the event loop.
 *
 * SQLite would sync its journal inside the commit and stall every stream of this process for as long as the disk takes. So SQLite does not
 * (`synchronous=normal` in WAL mode writes the journal and syncs it only before a checkpoint), and the same sync is made here, by the
 * thread pool. A commit is acknowledged when that has returned, which is what `synchronous=full` promises: after a power cut the journal's
 * checksums decide which commits were complete.
 */
export interface WalSync {
  /** Resolves when everything committed before is on disk. */
  sync(): Promise<void>;
  /**
   * Resolves when nothing committed before is still on its way to disk, without waiting for later commits. Returns whether all of it got
   * there. Never rejects: the promise of a commit does.
   */
  settled(): Promise<boolean>;
  /** Whether a commit is on its way to disk. */
  readonly isSyncing: boolean;
  /** The journal may be replaced or removed from now on. */
  forget(): void;
}

export type SyncFile = (descriptor: number) => Promise<void>;

/** `path` is the database's. The journal is opened on first use: it does not exist before the first commit. */
export function createWalSync(path: string, syncFile: SyncFile = promisify(fdatasync)): WalSync {
  let descriptor: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const start = (): Promise<void> => {
    // Windows can sync only files opened for writing.
    descriptor ??= openSync(`${path}-wal`, "r+");
    const sync = syncFile(descriptor).finally(() => {
      if (running === sync) running = undefined;
    });
    running = sync;
    return sync;
  };

  const forget = (): void => {
    const left = descriptor;
    descriptor = undefined;
    if (left === undefined) return;
    // A descriptor closed during a sync could by then belong to another file.
    if (running === undefined) closeSync(left);
    else void running.catch(() => undefined).then(() => closeSync(left));
  };

  return {
    async sync() {
      if (running === undefined) return await start();
      // A sync under way may have missed the newest commit; the next one serves everyone waiting by then. If the first fails they fail
      // with it: the kernel may have dropped what they wrote and would still report a second sync as successful.
      next ??= running
        .finally(() => {
          next = undefined;
        })
        .then(start);
      await next;
    },
    async settled() {
      const under = next ?? running;
      if (under === undefined) return true;
      return await under.then(
        () => true,
        () => false,
      );
    },
    get isSyncing() {
      return running !== undefined;
    },
    forget,
  };
}
