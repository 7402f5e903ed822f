import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { onDisk } from "../../git/byte-path.ts";
import { type Git, runGit } from "../../git/run-git.ts";
import { privateConfig } from "../repository/private-config.ts";
import { settingIn } from "../repository/read-config.ts";
import { copyByTrueName } from "../true-name.ts";
import { keptPlace } from "./kept-place.ts";
import { isKnownWorktree } from "./known-worktree.ts";
import type { LaterRun } from "./scan-workspace.ts";
import { putNew, withhold } from "./withhold.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * A repository that the turn has made below the workspace keeps its settings that name nothing to be run, in a file of Caret's: a
 * clone goes on being one. False where the file is no configuration: it is then taken away.
 */
export async function disarmGit(
  git: Git,
  workspace: string,
  { path, kind }: LaterRun,
  place: string,
): Promise<boolean> {
  if (kind !== "file" || basename(path) !== "config") return isKnownWorktree(workspace, path);
  const text = await harmlessConfig(git, onDisk(workspace, path), place);
  return (
    text !== undefined && withhold(workspace, path, keptPlace(place, `${path}.turn`)) && putNew(workspace, path, text)
  );
}

async function harmlessConfig(git: Git, file: Buffer, place: string): Promise<string | undefined> {
  // Git is given a name that is text, and short.
  const copy = join(place, "config-to-read");
  rmSync(copy, { force: true });
  copyByTrueName(file, copy, MAX_BYTES);
  if (!existsSync(copy)) return undefined;
  try {
    const words = ["config", "--file", copy, "--no-includes", "--list", "--null"];
    const listed = await runGit(git, place, words).catch(() => undefined);
    if (listed?.code !== 0) return undefined;
    const entries = listed.text
      .split("\0")
      .filter((row) => row !== "")
      .map(settingIn);
    const lastOf = (key: string): string | undefined => entries.findLast((entry) => entry.key === key)?.value;
    return privateConfig(entries, lastOf("extensions.objectformat") ?? "sha1", lastOf("core.bare") === "true");
  } finally {
    rmSync(copy, { force: true });
  }
}
