import { CaretError } from "@caret/protocol";
import { type Git, runGit } from "./run-git.ts";

/** What `git config` ends with when there is no such setting. */
const NOTHING_FOUND = 1;

const PROGRAMS = "filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver|branch\\..*\\.mergeoptions";

/** One of those that `runGit` always gives: git before 2.31 takes no settings from the environment, and says nothing about it. */
const GIVEN = "core.fsmonitor";
const LISTED = `^(core\\.fsmonitor|${PROGRAMS})$`;

/** A driver that joins nothing: the file is a conflict. An empty one would be an error of the whole merge. */
const REFUSING_DRIVER = "false";

/**
 * Settings against the programs that a repository itself names: filters, which turn files into what is committed, and merge drivers
 * and strategies. Rejects with `unsupported` when not all of their names can be known, or when git would not heed the settings: one
 * that is overlooked would be run.
 */
export async function withoutOwnPrograms(
  git: Git,
  workspace: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const listed = await runGit(git, workspace, ["config", "--show-scope", "--null", "--get-regexp", LISTED], { env });
  const parts = listed.text.split("\0");
  const isKnown = listed.code === 0 || listed.code === NOTHING_FOUND;
  if (!isKnown || listed.isCut || listed.text.includes("\ufffd")) throw unsafePrograms();
  if (!parts.some((part, index) => part === "command" && parts[index + 1] === `${GIVEN}\nfalse`)) throw outdatedGit();
  const own: Record<string, string> = {};
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key = ""] = (parts[index + 1] ?? "").split("\n", 1);
    const isOwn = parts[index] === "local" || parts[index] === "worktree";
    if (isOwn && key !== GIVEN) own[key] = harmless(key);
  }
  return own;
}

function harmless(key: string): string {
  if (key.endsWith(".required")) return "false";
  return key.startsWith("merge.") ? REFUSING_DRIVER : "";
}

function unsafePrograms(): CaretError {
  return new CaretError(
    "unsupported",
    "The repository cannot be read: the filters and drivers it names cannot be kept from running",
    {
      fix: "Look at the sections `filter`, `merge` and `branch` in its `.git/config`.",
    },
  );
}

function outdatedGit(): CaretError {
  return new CaretError("unsupported", "Git cannot be kept from running the programs that a repository names", {
    fix: "Install Git 2.31 or newer.",
  });
}
