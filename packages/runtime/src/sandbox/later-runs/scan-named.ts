import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Git } from "../../git/run-git.ts";
import { namedPlaces } from "../repository/named-files.ts";
import { readConfig } from "../repository/read-config.ts";
import { type LaterRun, note } from "./scan-workspace.ts";

export interface NamedRuns {
  readonly found: Map<string, LaterRun>;
  /** In which of the directories git was asked that names a path, of those that hold it. */
  readonly tops: Map<string, string>;
  /** Directories in which git was not asked: there are too many. */
  readonly left: readonly string[];
}

export interface NamedScan {
  readonly git: Git;
  readonly workspace: string;
  /** Of the user whose git it is. */
  readonly home: string;
}

const MAX_TOPS = 200;
const AT_ONCE = 4;
/** What is looked at in one directory of hooks. */
const MAX_ENTRIES = 500;

/**
 * Finds what git's settings name in each of these directories of the workspace, as git itself lists them there: hooks and programs
 * of submodules, of repositories below and of linked working trees, which have the settings of their repository.
 */
export async function scanNamed(scan: NamedScan, tops: readonly string[]): Promise<NamedRuns> {
  const runs: NamedRuns = { found: new Map(), tops: new Map(), left: tops.slice(MAX_TOPS) };
  const waiting = tops.slice(0, MAX_TOPS);
  const work = async (): Promise<void> => {
    for (let top = waiting.shift(); top !== undefined; top = waiting.shift()) await scanTop(scan, top, runs);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}

async function scanTop({ git, workspace, home }: NamedScan, top: string, runs: NamedRuns): Promise<void> {
  const path = join(workspace, top);
  const config = (await readConfig(git, path, { HOME: home })) ?? [];
  const left = { entries: MAX_ENTRIES };
  const found: NamedRuns["found"] = new Map();
  for (const place of namedPlaces(config, { workspace, top: path, home }))
    await noteAll({ workspace, found }, relative(workspace, place.path), place.missing?.kind === "directory", left);
  for (const [name, run] of found) {
    runs.found.set(name, run);
    if (top !== "" && name.startsWith(`${top}/`)) runs.tops.set(name, top);
  }
}

async function noteAll(
  scan: Pick<NamedScan, "workspace"> & Pick<NamedRuns, "found">,
  path: string,
  isDeep: boolean,
  left: { entries: number },
): Promise<void> {
  const stat = await lstat(join(scan.workspace, path)).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isDirectory()) return await note(scan, path, "named");
  if (!isDeep) return;
  for (const name of await readdir(join(scan.workspace, path)).catch(() => [])) {
    left.entries -= 1;
    if (left.entries >= 0) await noteAll(scan, join(path, name), isDeep, left);
  }
}
