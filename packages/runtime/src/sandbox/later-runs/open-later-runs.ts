import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BytePath, onDisk, shownPath } from "../../git/byte-path.ts";
import type { Git } from "../../git/run-git.ts";
import { copyByTrueName, readByTrueName } from "../true-name.ts";
import { disarmGit } from "./disarm-git.ts";
import { keptPlace } from "./kept-place.ts";
import { type NamedRuns, scanNamed } from "./scan-named.ts";
import { changedSince, type LaterRun, type Scanned, scanWorkspace } from "./scan-workspace.ts";
import { putBack, withhold } from "./withhold.ts";

export interface LaterRunsOptions {
  readonly git: Git;
  readonly workspace: string;
  /** Of the user whose git it is. */
  readonly home: string;
  readonly isReadOnly: boolean;
  readonly isStrict: boolean;
  /** Ours, of the turn: where what is taken out of the workspace is kept. */
  readonly place: string;
}

export interface LaterRuns {
  /** To be called when nothing of the turn runs any more; returns what a person has to know. */
  close(): Promise<readonly string[]>;
}

const MAX_COPY_BYTES = 1024 * 1024;
const MAX_COPIES = 500;
const MAX_NAMED = 20;

/**
 * Looks at what of a workspace other programs run unasked, before a turn and after it. What decides what git runs in a
 * repository below the workspace is put back as it was, or taken away, in every sandbox; settings of editors, shells and package managers in a strict
 * one. In the others they are named. A mount could keep the turn from changing what there is, and not from making more.
 */
export async function openLaterRuns(options: LaterRunsOptions): Promise<LaterRuns> {
  const { workspace, isReadOnly, isStrict, place } = options;
  if (isReadOnly) return { close: async () => [] };
  const scanned = await scanWorkspace(workspace);
  const named = await scanNamed(options, [...scanned.tops]);
  const copies = join(place, "before");
  const all = [...named.found.values(), ...scanned.found.values()];
  // Git's first: what only a strict sandbox puts back must not take their place.
  const first = [...all.filter(({ of }) => of !== "settings"), ...all.filter(({ of }) => of === "settings")];
  for (const { path, of, kind, bytes } of first.slice(0, MAX_COPIES))
    if (kind === "file" && bytes <= MAX_COPY_BYTES && (isStrict || of !== "settings"))
      copyByTrueName(onDisk(workspace, path), keptPlace(copies, path), MAX_COPY_BYTES);
  return { close: () => close(options, { scanned, named, copies }) };
}

/** What has become of a file that the turn made or changed. */
type Settled = "named" | "restored" | "taken" | "harmless";

interface Before {
  readonly scanned: Scanned;
  readonly named: NamedRuns;
  readonly copies: string;
}

async function close(options: LaterRunsOptions, { scanned, named, copies }: Before): Promise<readonly string[]> {
  const { workspace, place } = options;
  const after = await scanWorkspace(workspace, scanned);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const settled: Record<Settled, BytePath[]> = { named: [], restored: [], taken: [], harmless: [] };
  const settleAll = async (changed: readonly LaterRun[], found: Scanned["found"]): Promise<void> => {
    for (const each of changed) {
      const was = found.get(each.path);
      const done = await settle(options, each, { copy: keptPlace(copies, each.path), was }).catch(
        () => "named" as const,
      );
      settled[done].push(each.path);
    }
  };
  const changed = changedSince(scanned, after);
  await settleAll(changed, scanned.found);
  // Git is asked when its settings are again what they were. Directories that were there come first.
  const tops = [...new Set([...scanned.tops, ...after.tops])];
  const namedAfter = await scanNamed(options, tops, named);
  const done = new Set(changed.map(({ path }) => path));
  const isOpen = (each: LaterRun): boolean =>
    !done.has(each.path) && !isAsInWorkspace(workspace, each, named, namedAfter);
  const renamed = [...namedAfter.found.values()].filter(({ path, stamp }) => named.found.get(path)?.stamp !== stamp);
  await settleAll(renamed.filter(isOpen), named.found);
  rmSync(copies, { recursive: true, force: true });
  if (readdirSync(place).length === 0) rmdirSync(place);
  const what = "files that other programs run or obey";
  return [
    ...words(settled.named, `The turn made or changed ${what}. Look at them before you go on`),
    ...words(settled.restored, `The turn changed ${what}. They are as they were; the turn's are in ${place}`),
    ...words(settled.taken, `The turn made ${what}. They were taken out of the workspace, to ${place}`),
    ...words(
      namedAfter.left,
      "What git runs was not looked at in these repositories: they are too many, or their names are no text",
    ),
    ...words(
      after.left,
      "There are too many directories, or their paths are too long. What the turn left was not looked at in",
    ),
  ];
}

/** A working tree that the turn has made has the hooks of its branch: those that are the workspace's own, which it could not change. */
function isAsInWorkspace(workspace: string, { path }: LaterRun, named: NamedRuns, namedAfter: NamedRuns): boolean {
  const top = namedAfter.tops.get(path);
  const twin =
    top === undefined || named.found.has(path) ? undefined : namedAfter.found.get(path.slice(top.length + 1));
  if (twin === undefined || named.found.get(twin.path)?.stamp !== twin.stamp) return false;
  const [own, other] = [path, twin.path].map((file) => readByTrueName(onDisk(workspace, file), MAX_COPY_BYTES));
  return own !== undefined && other !== undefined && own.equals(other);
}

async function settle(
  { git, workspace, isStrict, place }: LaterRunsOptions,
  found: LaterRun,
  { copy, was }: { readonly copy: Buffer; readonly was: LaterRun | undefined },
): Promise<Settled> {
  const { path, of } = found;
  if (of === "settings" && !isStrict) return "named";
  const own = keptPlace(place, path);
  if (was !== undefined && existsSync(copy))
    return putBack(workspace, path, { copy, place: own, mode: was.mode }) ? "restored" : "named";
  if (of === "git" && (await disarmGit(git, workspace, found, place))) return "harmless";
  // One that was too large to be copied stays as the turn has left it.
  const isNew = was === undefined || (of === "git" && was.of === "settings");
  return isNew && withhold(workspace, path, own) ? "taken" : "named";
}

function words(paths: readonly BytePath[], what: string): readonly string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_NAMED ? `, and ${paths.length - MAX_NAMED} more` : "";
  return [`${what}: ${paths.slice(0, MAX_NAMED).map(shownPath).join(", ")}${more}.`];
}
