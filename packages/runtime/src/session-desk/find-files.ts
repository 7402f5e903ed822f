import { listFiles } from "./git/list-files.ts";
import type { Git } from "./git/run-git.ts";
import { rankPaths } from "./rank-paths.ts";

const MAX_FOUND = 50;
/** Somebody types: the list of one moment serves for the next letters, too. */
const FRESH_MS = 5_000;

export interface FileFinder {
  /** Paths relative to the workspace, best first. */
  find(workspace: string, query: string): Promise<readonly string[]>;
}

export function createFileFinder({ git, now }: { readonly git: Git; readonly now: () => number }): FileFinder {
  let last: { readonly workspace: string; readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;
  return {
    async find(workspace, query) {
      if (last?.workspace !== workspace || now() - last.at > FRESH_MS)
        last = { workspace, at: now(), paths: listFiles(git, workspace) };
      const list = last;
      try {
        return rankPaths(await list.paths, query, MAX_FOUND);
      } catch (reason) {
        if (last === list) last = undefined;
        throw reason;
      }
    },
  };
}
