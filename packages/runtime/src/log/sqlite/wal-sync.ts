import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

/**
 * Makes commits durable beside the event loop.
 *
 * SQLite would sync its journal inside the commit, and with it hold up every stream of this process for as long as the
 * disk takes. So SQLite does not (`synchronous=normal` in WAL mode writes the journal and syncs it only before a
 * checkpoint), and the same sync is made here, by the thread pool. A commit is acknowledged when that has returned, which
 * is what `synchronous=full` promises: the journal's checksums decide after a power cut which commits were whole.
 */
export interface WalSync {
  /** Resolves when everything that was committed before is on disk. */
  sync(): Promise<void>;
  /**
   * Resolves when nothing that was committed before is on its way to the disk any more; what is committed meanwhile is
   * not waited for. Says whether all of it got there. Never rejects: the promise of a commit does.
   */
  settled(): Promise<boolean>;
  /** Whether something that was committed is on its way to the disk. */
  readonly isSyncing: boolean;
  /** The journal may be another file from now on, or none. */
  forget(): void;
}

export type SyncFile = (descriptor: number) => Promise<void>;

/** `path` is the database's. The journal is opened when it is first needed: before the first commit there is none. */
export function createWalSync(path: string, syncFile: SyncFile = promisify(fdatasync)): WalSync {
  let descriptor: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const start = (): Promise<void> => {
    // Windows syncs only what can be written.
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
    // A number that is closed under a running sync may by then be another file's.
    if (running === undefined) closeSync(left);
    else void running.catch(() => undefined).then(() => closeSync(left));
  };

  return {
    async sync() {
      if (running === undefined) return await start();
      // One that has begun may have missed the newest commit; the one after it serves all that wait by then. If the
      // first fails they fail with it: the kernel may have given up what they wrote, and would call a second one a success.
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
