import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CaretError, parseJson } from "@caret/protocol";
import { z } from "zod";
import { nameSome } from "../git/name-some.ts";
import type { Git } from "../git/run-git.ts";
import { writePrivateFile } from "../paths/private-files.ts";
import type { Worktree } from "../worktrees/worktree.ts";
import { releaseWorktree } from "./release-worktree.ts";

const recordSchema = z.object({
  worktrees: z.array(z.object({ repository: z.string(), path: z.string(), branch: z.string() })),
});

/** Which worktrees a comparison may have made, written down before it makes any: a later gateway looks after what is left. */
export interface ComparisonRecords {
  write(id: string, worktrees: readonly Worktree[]): void;
  remove(id: string): void;
  /** Removes every worktree of an earlier process that holds no work, but for those of comparisons that another process has. */
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
    const kept: KeptWorktree[] = [];
    for (const worktree of worktrees) {
      const files = await releaseWorktree(git, worktree, "nothing");
      if (files.length > 0) kept.push({ path: worktree.path, files });
    }
    remove(id);
    if (kept.length > 0) onError(keptWork(id, kept));
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

/** A worktree that stays since nobody has chosen to lose what it holds. */
export interface KeptWorktree {
  readonly path: string;
  readonly files: readonly string[];
}

/** For the log: nobody follows the comparison who could read it elsewhere. */
export function keptWork(id: string, kept: readonly KeptWorktree[]): CaretError {
  const places = kept.map(({ path, files }) => `${path} (${nameSome(files)})`).join("; ");
  return new CaretError(
    "interrupted",
    `The comparison ${id} ended, and nobody chose: its candidates' work is kept in ${places}`,
    {
      fix: "Copy or merge what you need, then remove each with `git worktree remove --force PATH`, and its branch.",
    },
  );
}
