import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSafely } from "./run-safely.ts";

/** For as long as `use` runs, an index that holds a tree alone, without flags and times: Git compares the contents of all files with it. */
export async function withIndexOf<Result>(
  run: RunSafely,
  tree: string,
  use: (env: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "caret-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(directory, "index") };
    await run(["read-tree", tree], { env });
    return await use(env);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
