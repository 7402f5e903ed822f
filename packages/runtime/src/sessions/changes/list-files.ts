import { realpath } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import { type Git, runGit } from "../../git/run-git.ts";
import { PinnedDirectory } from "../../tools/files/pinned-directory.ts";
import { walkFiles } from "../../tools/files/walk-files.ts";

const MAX_WALKED = 20_000;

const WALK_MS = 2_000;

/** The files of a workspace: those git knows or would add, else all there are, as far as they can be walked quickly. */
export async function listFiles(git: Git, workspace: string): Promise<readonly string[]> {
  return (await listedByGit(git, workspace)) ?? (await walked(workspace));
}

/** Undefined when there is no repository, or no git. */
async function listedByGit(git: Git, workspace: string): Promise<readonly string[] | undefined> {
  try {
    const listed = await runGit(git, workspace, ["ls-files", "-co", "--exclude-standard", "-z", "--", "."]);
    // What was cut off at the end has no end.
    if (listed.code === 0 || listed.isCut) return [...new Set(listed.text.split("\0").slice(0, -1))];
    return undefined;
  } catch (reason) {
    if (CaretError.is(reason)) return undefined;
    throw reason;
  }
}

async function walked(workspace: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const until = performance.now() + WALK_MS;
  const root = await PinnedDirectory.open(await realpath(workspace));
  try {
    for await (const { path } of walkFiles(root, { signal: new AbortController().signal })) {
      paths.push(path);
      if (paths.length >= MAX_WALKED || performance.now() > until) break;
    }
  } finally {
    await root.close();
  }
  return paths;
}
