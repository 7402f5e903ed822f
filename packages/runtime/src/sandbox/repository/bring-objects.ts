import type { RunIn } from "./repository-state.ts";

export const CARRIED = "refs/caret/carried";

/**
 * Fetches what these commits and files need into the user's repository, and checks each object on the way: that it is what
 * its name says, that git's own rules hold for it, and that nothing it needs is missing. `work` runs while all of it is held by references.
 */
export async function withObjects<Result>(
  { inside, outside, directory, id }: Bringing,
  wanted: { readonly commits: readonly string[]; readonly blobs: readonly string[] },
  work: () => Promise<Result>,
): Promise<Result> {
  const tips = [...new Set([...wanted.commits, ...(await holdBlobs(inside, wanted.blobs))])];
  if (tips.length === 0) return await work();
  const names = tips.map((_, index) => `${CARRIED}/${id}/${index}`);
  await inside(["update-ref", "--stdin"], { input: names.map((name, at) => `update ${name} ${tips[at]}\n`).join("") });
  const settings = { "fetch.fsckObjects": "true", "transfer.fsckObjects": "true", "fetch.writeCommitGraph": "false" };
  const words = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
  try {
    await outside(["fetch", ...words, "--", directory, `+${CARRIED}/${id}/*:${CARRIED}/${id}/*`], {
      settings,
      env: { GIT_ALLOW_PROTOCOL: "file" },
    });
    return await work();
  } finally {
    await outside(["update-ref", "--stdin"], { input: names.map((name) => `delete ${name}\n`).join("") }).catch(
      () => undefined, // nothing was fetched, or another process looks after them at the next start
    );
  }
}

export interface Bringing {
  /** Git in what the turn has left, cleaned. */
  readonly inside: RunIn;
  /** Git in the user's repository. */
  readonly outside: RunIn;
  /** What the turn has left. */
  readonly directory: string;
  /** A name that is used once. */
  readonly id: string;
}

/** What is in the index and in no commit is held by a tree of its own. */
async function holdBlobs(inside: RunIn, blobs: readonly string[]): Promise<readonly string[]> {
  if (blobs.length === 0) return [];
  const rows = [...new Set(blobs)].map((blob, at) => `100644 blob ${blob}\t${at}\0`).join("");
  return [(await inside(["mktree", "-z"], { input: rows })).trim()];
}
