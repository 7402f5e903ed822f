import { inSlices } from "../../async/in-slices.ts";
import { type Git, type GitOptions, runGit } from "../../git/run-git.ts";

/** Large repositories have long lists of files and references. */
const MAX_BYTES = 256 * 1024 * 1024;
const LIMIT_MS = 120_000;

/** What of a repository a turn may change, at one moment. */
export interface RepositoryState {
  /** `ref: refs/heads/main`, or the commit itself. Names of references have a character for each byte, as `BytePath`. */
  readonly head: string;
  /** Where references lead, by name; one that leads to another reference has its name. */
  readonly refs: Readonly<Record<string, string>>;
  /** Stashes, the newest first. */
  readonly stashes: readonly Stash[];
}

export interface Stash {
  readonly commit: string;
  readonly message: string;
}

/** Git in one directory of git, whatever a `.git` in the working tree says. Rejects where git fails. */
export type RunIn = (args: readonly string[], options?: RunOptions) => Promise<string>;

interface RunOptions extends Pick<GitOptions, "env" | "input" | "settings" | "decoding"> {
  /** Exit codes that are answers; absent: only 0. */
  readonly codes?: readonly number[];
}

export class GitFailed extends Error {}

/** Runs git for the repository in `directory`, in its working tree. */
export function gitIn(git: Git, directory: string, workspace: string): RunIn {
  const env = { GIT_DIR: directory, GIT_WORK_TREE: workspace };
  return async (args, { codes = [0], env: more, input, settings, decoding = "utf8" } = {}) => {
    const { code, text, isCut, errors } = await runGit(git, workspace, args, {
      env: { ...env, ...more },
      limitMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
      decoding,
      settings: { "gc.auto": "0", "maintenance.auto": "false", "core.alternateRefsCommand": "true", ...settings },
      ...(input === undefined ? {} : { input }),
    });
    if (code !== null && codes.includes(code) && !isCut) return text;
    throw new GitFailed(errors.trim() || `git ${args[0]} failed`);
  };
}

const FORMAT = "%(refname)%00%(objectname)%00%(symref)";

export async function readState(run: RunIn): Promise<RepositoryState> {
  const [listed, head] = await Promise.all([
    run(["for-each-ref", `--format=${FORMAT}`], { decoding: "latin1" }),
    readHead(run),
  ]);
  const refs: Record<string, string> = {};
  await inSlices(listed.split("\n"), (row) => {
    const [name = "", commit = "", symbolic = ""] = row.split("\0");
    if (name !== "") refs[name] = symbolic === "" ? commit : `ref: ${symbolic}`;
  });
  return { head, refs, stashes: refs["refs/stash"] === undefined ? [] : await readStashes(run) };
}

/** Empty where it leads nowhere. */
export async function readHead(run: RunIn): Promise<string> {
  const symbolic = (await run(["symbolic-ref", "--quiet", "HEAD"], { codes: [0, 1], decoding: "latin1" })).trim();
  if (symbolic !== "") return `ref: ${symbolic}`;
  return (await run(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], { codes: [0, 1, 128] })).trim();
}

async function readStashes(run: RunIn): Promise<readonly Stash[]> {
  const text = await run(["reflog", "show", "-z", "--format=%H %gs", "refs/stash", "--"], { codes: [0, 128] });
  return text
    .split("\0")
    .filter((row) => row !== "")
    .map((row) => ({ commit: row.slice(0, row.indexOf(" ")), message: row.slice(row.indexOf(" ") + 1) }));
}
