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

export interface RepositoryPrograms {
  /**
   * Settings against the programs that a repository itself names: filters, which turn files into what is committed, and merge drivers
   * and strategies.
   */
  readonly without: Readonly<Record<string, string>>;
  /** Names of the filters that the repository itself defines: none of them runs. */
  readonly ownFilters: ReadonlySet<string>;
  /** Names of those that run: the user, and nobody in the repository, has defined them. */
  readonly filters: ReadonlySet<string>;
  /** A filter of the user's that fails must not leave a file as it is: Git, unless it is required, commits it in plain text. */
  readonly required: Readonly<Record<string, string>>;
}

/**
 * Which programs Git would run for a repository, and the settings that keep it from running the repository's own. Rejects with
 * `unsupported` when not all of their names can be known, or when git would not heed the settings: one that is overlooked would be run.
 */
export async function repositoryPrograms(
  git: Git,
  workspace: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RepositoryPrograms> {
  const without: Record<string, string> = {};
  const theirs = new Map<string, Set<string>>();
  for (const { scope, key, value } of await listPrograms(git, workspace, env)) {
    if (scope !== "local" && scope !== "worktree") noteFilter(theirs, key, value);
    else if (key !== GIVEN) without[key] = harmless(key);
  }
  const ownFilters = new Set(Object.keys(without).flatMap((key) => filterOf(key) ?? []));
  for (const name of ownFilters) theirs.delete(name);
  return { without, ownFilters, filters: new Set(theirs.keys()), required: requiredOf(theirs) };
}

interface ProgramSetting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

async function listPrograms(
  git: Git,
  workspace: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly ProgramSetting[]> {
  const listed = await runGit(git, workspace, ["config", "--show-scope", "--null", "--get-regexp", LISTED], { env });
  const parts = listed.text.split("\0");
  const isKnown = listed.code === 0 || listed.code === NOTHING_FOUND;
  if (!isKnown || listed.isCut || listed.text.includes("\ufffd")) throw unsafePrograms();
  const settings: ProgramSetting[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key = "", value = ""] = (parts[index + 1] ?? "").split("\n", 2);
    settings.push({ scope: parts[index] ?? "", key, value });
  }
  if (!settings.some(({ scope, key, value }) => scope === "command" && key === GIVEN && value === "false"))
    throw outdatedGit();
  return settings;
}

/** The settings alone. */
export async function withoutOwnPrograms(
  git: Git,
  workspace: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  return (await repositoryPrograms(git, workspace, env)).without;
}

/** The name of a filter, which may have dots in it. */
function filterOf(key: string): string | undefined {
  return key.startsWith("filter.") ? key.slice("filter.".length, key.lastIndexOf(".")) : undefined;
}

function noteFilter(filters: Map<string, Set<string>>, key: string, value: string): void {
  const name = filterOf(key);
  const part = key.slice(key.lastIndexOf(".") + 1);
  if (name === undefined || part === "required" || value === "") return;
  filters.set(name, (filters.get(name) ?? new Set()).add(part));
}

/** A filter with one direction alone leaves the other to Git. */
function requiredOf(filters: ReadonlyMap<string, ReadonlySet<string>>): Readonly<Record<string, string>> {
  const whole = [...filters].filter(([, parts]) => parts.has("process") || (parts.has("clean") && parts.has("smudge")));
  return Object.fromEntries(whole.map(([name]) => [`filter.${name}.required`, "true"]));
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
