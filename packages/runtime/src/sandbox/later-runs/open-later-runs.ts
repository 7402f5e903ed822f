import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "../../git/run-git.ts";
import { copyByTrueName } from "../true-name.ts";
import { disarmGit } from "./disarm-git.ts";
import { type LaterRun, scanWorkspace } from "./scan-workspace.ts";
import { putBack, withhold } from "./withhold.ts";

export interface LaterRunsOptions {
  readonly git: Git;
  readonly workspace: string;
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
  const before = await scanWorkspace(workspace);
  const copies = join(place, "before");
  for (const { path, of, kind, bytes } of [...before.values()].slice(0, MAX_COPIES))
    if (kind === "file" && bytes <= MAX_COPY_BYTES && (isStrict || of === "git"))
      copyByTrueName(join(workspace, path), join(copies, path), MAX_COPY_BYTES);
  return { close: () => close(options, { found: before, copies }) };
}

/** What has become of a file that the turn made or changed. */
type Settled = "named" | "restored" | "taken" | "disarmed";

interface Before {
  readonly found: ReadonlyMap<string, LaterRun>;
  readonly copies: string;
}

async function close(options: LaterRunsOptions, before: Before): Promise<readonly string[]> {
  const { workspace, place } = options;
  const after = await scanWorkspace(workspace);
  const changed = [...after.values()].filter(({ path, stamp }) => before.found.get(path)?.stamp !== stamp);
  const settled: Record<Settled, string[]> = { named: [], restored: [], taken: [], disarmed: [] };
  for (const found of changed) settled[await settle(options, found, before)].push(found.path);
  rmSync(before.copies, { recursive: true, force: true });
  const what = "files that other programs run or obey";
  return [
    ...words(settled.named, `The turn made or changed ${what}. Look at them before you go on`),
    ...words(settled.restored, `The turn changed ${what}. They are as they were; the turn's are in ${place}`),
    ...words(settled.taken, `The turn made ${what}. They were taken out of the workspace, to ${place}`),
  ];
}

async function settle(options: LaterRunsOptions, found: LaterRun, before: Before): Promise<Settled> {
  const { git, workspace, isStrict, place } = options;
  const { path, of } = found;
  if (of === "settings" && !isStrict) return "named";
  const copy = join(before.copies, path);
  const own = join(place, path);
  if (existsSync(copy)) return putBack(workspace, path, { copy, place: own }) ? "restored" : "named";
  if (of === "git" && (await disarmGit(git, workspace, found, place))) return "disarmed";
  // One that was too large to be copied stays as the turn has left it.
  return !before.found.has(path) && withhold(workspace, path, own) ? "taken" : "named";
}

function words(paths: readonly string[], what: string): readonly string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_NAMED ? `, and ${paths.length - MAX_NAMED} more` : "";
  return [`${what}: ${paths.slice(0, MAX_NAMED).join(", ")}${more}.`];
}
