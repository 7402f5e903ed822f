import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import type { CheckpointQuestion } from "./checkpoints.ts";

/** So often a writer may have added to the journal while it was copied: only a journal that is copied whole begins again. */
const MOST_PASSES = 4;

parentPort?.on("message", ({ path }: CheckpointQuestion) => {
  copyJournal(path);
  parentPort?.postMessage("copied");
});

function copyJournal(path: string): void {
  const file = pathToFileURL(path);
  // Made by nobody but the store: where the log is gone, an empty file would pass for it, and be readable by everybody.
  file.searchParams.set("mode", "rw");
  const database = new DatabaseSync(file);
  try {
    // It syncs the journal before and the database after it, and makes neither readers nor writers wait.
    const checkpoint = database.prepare("pragma wal_checkpoint(passive)");
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const row = checkpoint.get();
      if (row?.["log"] === row?.["checkpointed"]) return;
    }
  } finally {
    database.close();
  }
}
