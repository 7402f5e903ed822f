import { type BytePath, shownPath, splitPaths } from "../../git/byte-path.ts";
import type { IndexChange } from "./bring-index.ts";
import type { RepositoryState, RunIn } from "./repository-state.ts";

/** Of a turn with more of them, all that it has made is barred. */
const MAX_COMMITS = 200;

export interface BarredCommits {
  /** What git runs here, from the top. */
  readonly sealed: readonly string[];
  readonly before: RepositoryState;
  /** What the turn has made. */
  readonly tips: readonly string[];
  /** Below here references hold them. */
  readonly carried: string;
}

/**
 * Those of these commits by which the turn has changed what git runs here. Its files are sealed while the turn runs; a commit can hold
 * others all the same, and the next checkout outside, of whatever else, would put them there.
 */
export async function barredCommits(
  outside: RunIn,
  { sealed, before, tips, carried }: BarredCommits,
): Promise<ReadonlySet<string>> {
  if (sealed.length === 0 || tips.length === 0) return new Set();
  const known = Object.values(before.refs).filter((to) => !to.startsWith("ref: "));
  if (!before.head.startsWith("ref: ") && before.head !== "") known.push(before.head);
  const words = ["rev-list", "--full-history", `--max-count=${MAX_COMMITS}`, "--stdin", "--", ...sealed];
  const listed = await outside(words, {
    input: [...tips, ...known.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join(""),
    env: { GIT_LITERAL_PATHSPECS: "1" },
  });
  const changing = listed.split("\n").filter((line) => line !== "");
  if (changing.length === 0) return new Set();
  // The others may be on references that none of these is on.
  if (changing.length === MAX_COMMITS) return new Set(tips);
  const holding = changing.map((commit) => `--contains=${commit}`);
  const held = await outside(["for-each-ref", "--format=%(objectname)", ...holding, `${carried}/`]);
  return new Set(held.split("\n").filter((line) => line !== ""));
}

interface SealedIn {
  /** What git runs here, from the top. */
  readonly sealed: readonly string[];
  readonly refs: RepositoryState["refs"];
  /** As the turn has left it: `ref: refs/heads/main`, or a commit that is not barred. */
  readonly head: string;
}

/** An index change without the files that git runs here, but for those that are as in the commit that is checked out; their names. */
export async function withoutSealed(outside: RunIn, change: IndexChange, { sealed, refs, head }: SealedIn) {
  const isSealed = (path: BytePath): boolean =>
    sealed.some((place) => shownPath(path) === place || shownPath(path).startsWith(`${place}/`));
  const found = [...new Set([...change.before.keys(), ...change.after.keys()])].filter(isSealed);
  if (found.length === 0) return { index: change, left: [] };
  const commit = refs[head.replace(/^ref: /, "")] ?? head;
  const committed = /^[0-9a-f]{40,64}$/.test(commit) ? await rowsIn(outside, commit, sealed) : new Map();
  const left = new Set(found.filter((path) => change.after.get(path)?.join("\n") !== committed.get(path)));
  const rest = (entries: IndexChange["after"]): IndexChange["after"] =>
    new Map([...entries].filter(([path]) => !left.has(path)));
  const index: IndexChange = { ...change, before: rest(change.before), after: rest(change.after) };
  return { index, left: [...left] };
}

/** What a commit holds of these, as an index says it. */
async function rowsIn(
  outside: RunIn,
  commit: string,
  places: readonly string[],
): Promise<ReadonlyMap<BytePath, string>> {
  const words = ["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...places];
  const listed = await outside(words, { env: { GIT_LITERAL_PATHSPECS: "1" }, decoding: "latin1" });
  const rows = splitPaths(listed).map((row) => {
    const [entry = "", path = ""] = [row.slice(0, row.indexOf("\t")), row.slice(row.indexOf("\t") + 1)];
    const [mode, , blob] = entry.split(" ");
    return [path, `${mode} ${blob} 0`] as const;
  });
  return new Map(rows);
}
