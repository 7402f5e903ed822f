import { existsSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { addFiles } from "./add-files.ts";
import { copyIndex } from "./copy-index.ts";
import type { Git } from "./run-git.ts";
import { inRepository, type RunSafely } from "./run-safely.ts";
import { objectsIn } from "./scratch-objects.ts";

/** New files beyond this would make a copy of the workspace, not a snapshot of it. */
const MOST_NEW_BYTES = 64 * 1024 * 1024;

/** A checkout whose files are put into trees. The user's repository is only read: objects are written elsewhere. */
export interface Snapshots {
  /**
   * The tree of all files, those that are not committed included and those that Git ignores left out. Undefined when there is too much
   * that is new. Neither the index nor the repository changes.
   */
  take(): Promise<string | undefined>;
  /** Git in the workspace, which finds the repository's objects and those of snapshots. */
  readonly run: RunSafely;
}

export interface SnapshotsOptions {
  readonly workspace: string;
  /** Where the objects of snapshots are written. */
  readonly objects: string;
  /** Where those of earlier ones are. */
  readonly others?: readonly string[];
}

/** Whether a directory lies in a repository, without asking git: most that do not are asked about often. */
export function liesInRepository(directory: string): boolean {
  if (existsSync(join(directory, ".git"))) return true;
  const parent = dirname(directory);
  return parent !== directory && liesInRepository(parent);
}

/** Rejects when the workspace does not lie in a checkout. */
export async function openSnapshots(
  git: Git,
  { workspace, objects, others = [] }: SnapshotsOptions,
): Promise<Snapshots> {
  const safely = await inRepository(git, workspace);
  const paths = ["--show-toplevel", "--git-path", "index", "--git-path", "objects"];
  const { text } = await safely(["rev-parse", "--path-format=absolute", ...paths]);
  const [top = "", index = "", own = ""] = text.split("\n");
  const places = objectsIn(objects, [own, ...others]);
  const run: RunSafely = (args, options = {}) => safely(args, { ...options, env: { ...places, ...options.env } });
  return {
    run,
    async take() {
      const listed = await run(["-C", top, "ls-files", "--others", "--exclude-standard", "-z"]);
      if (sizeOf(top, listed.text.split("\0").slice(0, -1)) > MOST_NEW_BYTES) return undefined;
      const directory = mkdtempSync(join(tmpdir(), "caret-index-"));
      try {
        const copy = join(directory, "index");
        copyIndex(index, copy);
        const env = { GIT_INDEX_FILE: copy };
        // What cannot be read, or is a repository without a commit, is left out; the rest is still a snapshot.
        await addFiles(run, { paths: ["."], at: top, env, isLenient: true });
        return (await run(["write-tree"], { env })).text.trim();
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

function sizeOf(directory: string, paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + (lstatSync(join(directory, path), { throwIfNoEntry: false })?.size ?? 0), 0);
}
