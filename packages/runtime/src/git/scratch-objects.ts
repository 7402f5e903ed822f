import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSafely } from "./run-safely.ts";

/** Variables for git under which new objects are written to a directory of their own, and those of the repository are found. */
export type ScratchObjects = Readonly<Record<string, string>>;

/**
 * For looking at files that are not committed: no object of theirs is left in the repository, from which a push or a copy could take it.
 */
export async function withScratchObjects<Result>(
  run: RunSafely,
  use: (env: ScratchObjects) => Promise<Result>,
): Promise<Result> {
  const { text } = await run(["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
  const directory = mkdtempSync(join(tmpdir(), "caret-objects-"));
  try {
    return await use(objectsIn(directory, [text.replace(/\n$/, "")]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function objectsIn(directory: string, others: readonly string[]): ScratchObjects {
  const alternates = others.map((path) => JSON.stringify(path)).join(":");
  return { GIT_OBJECT_DIRECTORY: directory, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates };
}
