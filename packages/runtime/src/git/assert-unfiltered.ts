import { CaretError } from "@caret/protocol";
import { type BytePath, shownPath } from "./byte-path.ts";
import { nameSome } from "./name-some.ts";
import type { RunSafely } from "./run-safely.ts";

/** What `git check-attr` says of a path that no filter turns into something else. */
const NONE: ReadonlySet<string> = new Set(["unspecified", "unset", "set"]);

/** A path, the word `filter` and a value for each file. */
const FIELDS = 3;

const MOST_PRINTED = 256 * 1024 * 1024;

export interface AssertUnfiltered {
  /** Whether a filter of this name does as in a terminal. */
  readonly runs: (filter: string) => boolean;
  readonly paths: readonly BytePath[];
  /** Attributes are read from the files of the checkout, or else from an index alone. */
  readonly isCached?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** What to do instead. */
  readonly fix: string;
}

/**
 * Rejects with `unsupported`, and names the files, where a filter decides what is committed of them and would not run: the repository's
 * own settings define it, or nobody does. What is to be encrypted would be written in plain text, and a checkout would hold cipher text.
 */
export async function assertUnfiltered(run: RunSafely, wanted: AssertUnfiltered): Promise<void> {
  const found = await filteredPaths(run, wanted);
  if (found.length === 0) return;
  throw new CaretError("unsupported", `A filter that Caret does not run decides what Git keeps of ${nameSome(found)}`, {
    fix: `Nothing was changed. ${wanted.fix}`,
  });
}

async function filteredPaths(
  run: RunSafely,
  { runs, paths, isCached = false, env = {} }: AssertUnfiltered,
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const { text } = await run(["check-attr", ...(isCached ? ["--cached"] : []), "--stdin", "-z", "filter"], {
    env,
    input: Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1"),
    decoding: "latin1",
    maxBytes: MOST_PRINTED,
  });
  const words = text.split("\0");
  const found: string[] = [];
  for (let index = 0; index + FIELDS <= words.length; index += FIELDS) {
    const [path = "", , value = ""] = words.slice(index, index + FIELDS);
    if (!NONE.has(value) && !runs(shownPath(value))) found.push(shownPath(path));
  }
  return found;
}
