import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { type BytePath, isText, onDisk, shownPath } from "../../git/byte-path.ts";
import type { Git } from "../../git/run-git.ts";
import { linkedHooks } from "../repository/linked-hooks.ts";
import { type NamedFile, namedPlaces } from "../repository/named-files.ts";
import { readConfig } from "../repository/read-config.ts";
import { repositoriesAbove } from "../repository/repositories-above.ts";
import { type LaterRun, note } from "./scan-workspace.ts";

export interface NamedRuns {
  readonly found: Map<BytePath, LaterRun>;
  /** In which of the directories git was asked that names a path, of those that hold it. */
  readonly tops: Map<BytePath, BytePath>;
  /** What git names in each directory, there or not. */
  readonly places: Map<string, readonly NamedFile[]>;
  /** Directories in which git was not asked: there are too many, or their names are no text. */
  readonly left: readonly BytePath[];
}

export interface NamedScan {
  readonly git: Git;
  readonly workspace: string;
  /** Of the user whose git it is. */
  readonly home: string;
}

const MAX_TOPS = 200;
const AT_ONCE = 4;

/**
 * Finds what git's settings name in each of these directories of the workspace, as git itself lists them there: hooks and programs
 * of submodules, of repositories below and above, and of linked working trees, which have the settings of their repository. What was named
 * before the turn counts after it, too: the turn may have kept git from saying it.
 */
export async function scanNamed(scan: NamedScan, tops: readonly BytePath[], before?: NamedRuns): Promise<NamedRuns> {
  const texts = tops.filter(isText);
  const unread = tops.filter((top) => !isText(top));
  const left = [...texts.slice(MAX_TOPS), ...unread];
  const runs: NamedRuns = { found: new Map(), tops: new Map(), places: new Map(), left };
  const waiting = [
    ...repositoriesAbove(scan.workspace).map((path) => ({ path, top: undefined })),
    ...texts.slice(0, MAX_TOPS).map((top) => ({ path: join(scan.workspace, shownPath(top)), top })),
  ];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const places = await placesNamed(scan, next.path);
      runs.places.set(next.path, places);
      await scanTop(scan, [...places, ...(before?.places.get(next.path) ?? [])], next.top, runs);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}

/** What git says there that it takes from the workspace. */
async function placesNamed({ git, workspace, home }: NamedScan, top: string): Promise<readonly NamedFile[]> {
  const config = await readConfig(git, top, { HOME: home });
  return config === undefined ? [] : namedPlaces(config, await linkedHooks(git, top), { workspace, top, home });
}

async function scanTop(
  { workspace }: NamedScan,
  places: readonly NamedFile[],
  top: BytePath | undefined,
  runs: NamedRuns,
): Promise<void> {
  const found: NamedRuns["found"] = new Map();
  for (const place of places) {
    const way = Buffer.from(relative(workspace, place.path)).toString("latin1");
    await noteAll({ workspace, found }, way, place.missing?.kind === "directory");
  }
  for (const [name, run] of found) {
    runs.found.set(name, run);
    if (top !== undefined && top !== "" && name.startsWith(`${top}/`)) runs.tops.set(name, top);
  }
}

async function noteAll(
  scan: Pick<NamedScan, "workspace"> & Pick<NamedRuns, "found">,
  path: BytePath,
  isDeep: boolean,
): Promise<void> {
  const stat = await lstat(onDisk(scan.workspace, path)).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isDirectory()) return await note(scan, path, "named");
  if (!isDeep) return;
  for (const name of await readdir(onDisk(scan.workspace, path), { encoding: "buffer" }).catch(() => []))
    await noteAll(scan, join(path, name.toString("latin1")), isDeep);
}
