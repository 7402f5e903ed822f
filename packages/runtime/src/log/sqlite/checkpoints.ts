const entry = new URL(`./checkpoint-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** Journal pages not yet in the database file that trigger a copy: starting the thread takes longer than copying. */
const PAGES = 12_000;

/**
 * Journal length at which the committing connection copies it itself: in case the thread cannot, or writers never pause long enough for it
 * to copy everything.
 */
export const LONGEST_JOURNAL_PAGES = 32_000;

/** Committed weight before asking SQLite again for the journal's length: a small part of what is copied at once. */
const ASK_AFTER = 512;
/** The pages that every commit changes, counted as this many small events. */
const WEIGHT_OF_COMMIT = 16;

export interface CheckpointQuestion {
  /** Path of the database. */
  readonly path: string;
}

/**
 * Copies the journal's pages into the database file in a thread: within the commit it took up to ten milliseconds and two disk syncs,
 * during which every stream of the process stalled.
 */
export interface Checkpoints {
  /** Call after a commit, with its weight in small events. `pagesOf` returns the number of journal pages not yet in the database file. */
  note(events: number, pagesOf: () => number): void;
  close(): Promise<void>;
}

export function createCheckpoints(path: string, mostPages = PAGES): Checkpoints {
  const stop = new AbortController();
  let copying: Promise<void> | undefined;
  let cannot = false;
  let committed = 0;

  const copy = async (): Promise<void> => {
    try {
      const { startWorkerThread } = await import("../../async/worker-thread.ts");
      const thread = startWorkerThread<CheckpointQuestion, "copied">(entry, stop.signal, { isHeld: false });
      // Ended after each copy: keeping the thread costs more in memory than its start costs in time.
      await thread.ask({ path }).finally(thread.close);
    } catch {
      cannot = true; // the committing connection copies from now on, and reports what is wrong with the disk
    } finally {
      copying = undefined;
    }
  };

  return {
    note(events, pagesOf) {
      committed += WEIGHT_OF_COMMIT + events;
      if (committed < ASK_AFTER || cannot || copying !== undefined) return;
      committed = 0;
      if (pagesOf() >= mostPages) copying = copy();
    },
    async close() {
      cannot = true;
      await copying;
    },
  };
}
