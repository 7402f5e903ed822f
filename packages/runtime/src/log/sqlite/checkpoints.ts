const entry = new URL(`./checkpoint-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** So many pages of the journal are not yet in the database file before they are copied there: the start of the thread takes more time than the copy. */
const PAGES = 12_000;

/**
 * How long the journal may be before the connection that commits copies it itself: where the thread cannot, or when writers never
 * pause for long enough to let it copy all.
 */
export const LONGEST_JOURNAL_PAGES = 32_000;

/** So much is committed before SQLite is asked again how long the journal is: a small part of what is copied at once. */
const ASK_AFTER = 512;
/** The pages that a commit changes whatever it writes weigh as much as so many small events. */
const WEIGHT_OF_COMMIT = 16;

export interface CheckpointQuestion {
  /** Of the database. */
  readonly path: string;
}

/**
 * Copies the pages of the journal into the database file in a thread: in the commit it took up to ten milliseconds, and two
 * syncs of the disk, in which every stream of the process stood still.
 */
export interface Checkpoints {
  /** After a commit that weighs as much as so many small events. `pagesOf` says how many pages of the journal are not in the database file. */
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
      // Ended after each copy: a thread takes more memory than its start takes time.
      await thread.ask({ path }).finally(thread.close);
    } catch {
      cannot = true; // the connection that commits copies from now on, and reports what is wrong with the disk
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
