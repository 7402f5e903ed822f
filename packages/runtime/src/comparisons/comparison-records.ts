import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CaretError, parseJson } from "@caret/protocol";
import { z } from "zod";
import type { Git } from "../git/run-git.ts";
import { writePrivateFile } from "../paths/private-files.ts";
import { removeWorktree } from "../worktrees/remove-worktree.ts";
import type { Worktree } from "../worktrees/worktree.ts";

const recordSchema = z.object({
  worktrees: z.array(z.object({ repository: z.string(), path: z.string(), branch: z.string() })),
});

/** Which worktrees a comparison may have made, written down before it makes any: a later gateway removes what is left. */
export interface ComparisonRecords {
  write(id: string, worktrees: readonly Worktree[]): void;
  remove(id: string): void;
  /** Removes every worktree of an earlier process, but for those of comparisons that are kept. */
  sweep(isKept?: (id: string) => Promise<boolean>): Promise<void>;
}

export interface ComparisonRecordsOptions {
  readonly directory: string;
  readonly git: Git;
  readonly onError: (error: CaretError) => void;
}

export function openComparisonRecords({ directory, git, onError }: ComparisonRecordsOptions): ComparisonRecords {
  const fileOf = (id: string): string => join(directory, `${id}.json`);
  const remove = (id: string): void => rmSync(fileOf(id), { force: true });
  const sweepOne = async (id: string): Promise<void> => {
    const { worktrees } = recordSchema.parse(parseJson(readFileSync(fileOf(id), "utf8")));
    for (const worktree of worktrees) await removeWorktree(git, worktree);
    remove(id);
  };
  return {
    write: (id, worktrees) => writePrivateFile(fileOf(id), JSON.stringify({ worktrees })),
    remove,
    async sweep(isKept = async () => false) {
      if (!existsSync(directory)) return;
      const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
      for (const id of names.map((name) => name.slice(0, -".json".length))) {
        try {
          if (!(await isKept(id))) await sweepOne(id);
        } catch (reason) {
          // The next gateway tries again.
          onError(CaretError.from(reason));
        }
      }
    },
  };
}
