import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addFiles } from "../git/add-files.ts";
import { copyIndex } from "../git/copy-index.ts";
import type { Git } from "../git/run-git.ts";
import type { RunSafely } from "../git/run-safely.ts";
import { openWorktree, type Worktree } from "./worktree.ts";

/** What a worktree holds at one moment. */
export interface Snapshot {
  /** The commit that its branch stands at. */
  readonly head: string;
  /** The tree of its files, those that are not committed included. */
  readonly tree: string;
  readonly isCommitted: boolean;
}

/**
 * Reads the files of a worktree through a copy of its index: neither the index nor the branch changes. Files that Git is set to ignore
 * are left out. Their contents are written into the repository, or where `objects` says.
 */
export async function snapshotWorktree(
  git: Git,
  worktree: Worktree,
  objects: Readonly<Record<string, string>> = {},
): Promise<Snapshot> {
  const { run, admin } = await openWorktree(git, worktree);
  const directory = mkdtempSync(join(tmpdir(), "caret-index-"));
  try {
    const copy = join(directory, "index");
    copyIndex(join(admin, "index"), copy);
    const env = { ...objects, GIT_INDEX_FILE: copy };
    await addFiles(run, { paths: ["."], env });
    const tree = await line(run, ["write-tree"], env);
    // After the two dashes nothing is taken for the name of a file.
    const [head = "", committed] = (await line(run, ["rev-parse", "HEAD", "HEAD^{tree}", "--"])).split("\n");
    return { head, tree, isCommitted: committed === tree };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The one line that a command prints. */
export async function line(run: RunSafely, args: readonly string[], env?: Readonly<Record<string, string>>) {
  const { text } = await run(args, env === undefined ? {} : { env });
  return text.trim();
}
