import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Caller, CaretError, parseJson } from "@caret/protocol";
import { z } from "zod";
import type { Git } from "../git/run-git.ts";
import { type AllowedWorkspaces, allowedWorkspace } from "../paths/allowed-workspace.ts";
import { createWorktree, findRepository } from "../worktrees/create-worktree.ts";
import { hasUnmergedWork, removeWorktree } from "../worktrees/remove-worktree.ts";
import type { Worktree } from "../worktrees/worktree.ts";

const worktreeSchema = z.object({ repository: z.string(), path: z.string(), branch: z.string() });

/** Worktrees that sessions were begun in, each for one session alone. */
export interface SessionWorktrees {
  /** A new one of the repository that a directory lies in, on a branch of its own. */
  make(sessionId: string, directory: string | undefined, caller: Caller): Promise<Worktree>;
  /** The session exists now: keep with it which worktree is its own. */
  keep(sessionId: string, worktree: Worktree): void;
  find(sessionId: string): Worktree | undefined;
  /** Removes it with its branch. One that holds work which was not merged stays, and so does one of which that cannot be known. */
  removeIfMerged(worktree: Worktree): Promise<void>;
}

export interface SessionWorktreesOptions {
  readonly git: Git;
  readonly allowedWorkspaces: AllowedWorkspaces;
  /** Where Caret keeps worktrees; undefined: it makes none. */
  readonly root: string | undefined;
  /** A directory that goes with its session; made when missing. */
  readonly directoryOf: (sessionId: string) => string;
}

export function createSessionWorktrees({
  git,
  allowedWorkspaces,
  root,
  directoryOf,
}: SessionWorktreesOptions): SessionWorktrees {
  const kept = keptWorktrees({ git, directoryOf });
  return {
    async make(sessionId, directory, caller) {
      if (root === undefined) throw new CaretError("unsupported", "This gateway makes no worktrees");
      if (caller.workspace !== undefined)
        throw new CaretError("workspace-forbidden", "A token that is bound to a workspace cannot create worktrees", {
          fix: "Leave `worktree` out, or use another token.",
        });
      if (directory === undefined)
        throw new CaretError("invalid-request", "A worktree needs a workspace: a directory in a Git repository");
      const found = await findRepository(git, allowedWorkspace(directory, allowedWorkspaces));
      // The repository may be larger than the directory that was named.
      const repository = allowedWorkspace(found, allowedWorkspaces);
      return await createWorktree(git, { repository, name: nameFor(repository, sessionId), root });
    },
    ...kept,
  };
}

/** Those that sessions have by now. */
export function keptWorktrees({
  git,
  directoryOf,
}: Pick<SessionWorktreesOptions, "git" | "directoryOf">): Omit<SessionWorktrees, "make"> {
  const fileOf = (sessionId: string): string => join(directoryOf(sessionId), "worktree.json");
  return {
    keep(sessionId, worktree) {
      writeFileSync(fileOf(sessionId), JSON.stringify(worktree), { mode: 0o600 });
    },
    find(sessionId) {
      const file = fileOf(sessionId);
      if (!existsSync(file)) return undefined;
      return worktreeSchema.safeParse(parseJson(readFileSync(file, "utf8"), undefined)).data;
    },
    async removeIfMerged(worktree) {
      const isNeeded = await hasUnmergedWork(git, worktree).catch((reason: unknown) => {
        // Git cannot read it, or the repository is damaged: nothing in it is known to be elsewhere.
        if (CaretError.is(reason)) return true;
        throw reason;
      });
      if (!isNeeded) await removeWorktree(git, worktree);
    },
  };
}

/** Says of which repository it is, in letters that a branch and a directory may have. */
function nameFor(repository: string, sessionId: string): string {
  const project = basename(repository)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${project || "session"}-${sessionId
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, 8)
    .toLowerCase()}`;
}
