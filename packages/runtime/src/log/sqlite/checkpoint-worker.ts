import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import type { CheckpointQuestion } from "./checkpoints.ts";

/** Maximum passes, in case writers append to the journal while it is copied: it restarts only once copied completely. */
const MOST_PASSES = 4;

parentPort?.on("message", ({ path }: CheckpointQuestion) => {
  copyJournal(path);
  parentPort?.postMessage("copied");
});

function copyJournal(path: string): void {
  const file = pathToFileURL(path);
  // Only the store may create the file: if the log is gone, an empty, world-readable file would replace it.
  file.searchParams.set("mode", "rw");
  const database = new DatabaseSync(file);
  try {
    // Syncs the journal before and the database after, and blocks neither readers nor writers.
    const checkpoint = database.prepare("pragma wal_checkpoint(passive)");
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const row = checkpoint.get();
      if (row?.["log"] === row?.["checkpointed"]) return;
    }
  } finally {
    database.close();
  }
}
