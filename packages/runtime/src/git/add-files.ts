import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSafely } from "./run-safely.ts";

const GITLINK = "160000 ";

/** Without the last option, submodules that a sparse checkout leaves out would be removed. */
const UPDATE = ["update-index", "--add", "--remove", "--replace", "--ignore-skip-worktree-entries"];

/** A line for every file of the repository: more than any other command here prints. */
const MOST_LISTED = 128 * 1024 * 1024;

export interface AddFiles {
  /** Files and directories, as they are named: no patterns. Relative to where git runs. */
  readonly paths: readonly string[];
  /** Where else than in the repository's own index. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another directory to run in. */
  readonly at?: string;
  /** A file that cannot be read is left out. */
  readonly isLenient?: boolean;
}

/**
 * Puts files as they are now into an index. `git add` by itself asks a repository within this one, which the index knows as a submodule,
 * for its state, by running git in it under that repository's settings: filters that an agent wrote would run, outside its sandbox.
 * So submodules are left to `update-index`, which only reads the commit they stand at.
 */
export async function addFiles(run: RunSafely, { paths, env = {}, at, isLenient = false }: AddFiles): Promise<void> {
  const where = at === undefined ? [] : ["-C", at];
  const literal = { ...env, GIT_LITERAL_PATHSPECS: "1" };
  const listed = await run([...where, "ls-files", "--stage", "-z", "--", ...paths], {
    env: literal,
    maxBytes: MOST_LISTED,
  });
  const submodules = await reachable(run, where, submodulesIn(listed.text));
  const others = paths.filter((path) => !submodules.includes(path));
  if (others.length > 0) {
    const patterns = [
      ...others.map((path) => `:(literal)${path}`),
      ...submodules.map((path) => `:(exclude,literal)${path}`),
    ];
    const lenient = isLenient ? { options: ["--ignore-errors"], codes: [0, 1] } : { options: [], codes: [0] };
    await withPatternFile(patterns, async (file) => {
      const from = [`--pathspec-from-file=${file}`, "--pathspec-file-nul"];
      await run([...where, "add", "--all", ...lenient.options, ...from], { env, codes: lenient.codes });
    });
  }
  if (submodules.length > 0) await run([...where, ...UPDATE, "--", ...submodules], { env });
}

/** Those that no link is in the way to: Git names none beyond one, and `git add` takes them out of the index with their directory. */
async function reachable(
  run: RunSafely,
  where: readonly string[],
  submodules: readonly string[],
): Promise<readonly string[]> {
  if (submodules.length === 0) return [];
  const { text } = await run([...where, "rev-parse", "--show-toplevel", "--show-prefix"]);
  const [top = "", prefix = ""] = text.split("\n");
  const isLink = (path: string): boolean =>
    lstatSync(join(top, prefix, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return submodules.filter((path) => !parentsOf(path).some(isLink));
}

/** The directories on the way, the topmost first. */
function parentsOf(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"));
}

/** The paths of submodules in what `ls-files --stage -z` prints. */
export function submodulesIn(listed: string): readonly string[] {
  return listed.split("\0").flatMap((line) => (line.startsWith(GITLINK) ? [line.slice(line.indexOf("\t") + 1)] : []));
}

/** More submodules than an argument list can name must not be a way past their exclusion. */
async function withPatternFile(patterns: readonly string[], use: (file: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "caret-paths-"));
  try {
    const file = join(directory, "paths");
    writeFileSync(file, patterns.map((pattern) => `${pattern}\0`).join(""), { mode: 0o600 });
    await use(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
