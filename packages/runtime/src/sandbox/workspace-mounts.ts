import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import { wayInside } from "../paths/physical-path.ts";
import { writeCursorDirectory } from "./cursor-directory.ts";
import { type GitGuards, type GuardedPath, gitGuards, repositoryOf } from "./git-guards.ts";
import type { MountPoints } from "./mount-points.ts";
import type { Mount } from "./walls.ts";

export interface WorkspaceOptions {
  readonly workspace: string;
  readonly isReadOnly: boolean;
  readonly isStrict: boolean;
  readonly git: "guarded" | "open";
  /** Ours, of the session; `.cursor` is written below it. */
  readonly directory: string;
  readonly cursorFiles: Readonly<Record<string, string>>;
  /** `.cursor` was written by us in a workspace of ours: it is only pinned. */
  readonly isOurs: boolean;
  /** What must not lie in the workspace: the user's home, and our own data. */
  readonly apart: readonly string[];
  readonly points: MountPoints;
  readonly holder: string;
}

export interface WorkspaceMounts {
  readonly mounts: readonly Mount[];
  /** Removes what had to be made in the workspace to mount over. */
  release(): Promise<void>;
}

/** The workspace as a sandbox sees it: the real one, with those parts read-only that decide what runs outside. */
export async function openWorkspaceMounts(options: WorkspaceOptions): Promise<WorkspaceMounts> {
  const { workspace, isReadOnly, points, holder } = options;
  assertApart(options);
  const cursor = cursorMount(options);
  const git = options.git === "open" || isReadOnly ? { pinned: [], sealed: [] } : gitGuards(workspace);
  const guarded = [...cursor.guarded, ...git.sealed];
  for (const { path } of guarded) assertNoLink(path, workspace);
  const releases: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const give of releases.splice(0).reverse()) await give();
  };
  try {
    for (const { path, missing } of guarded)
      if (missing !== undefined) releases.push(await points.hold(path, missing, holder));
  } catch (reason) {
    await release();
    throw reason;
  }
  const mounts: readonly Mount[] = [
    { kind: isReadOnly ? "read" : "write", path: workspace },
    ...gitMounts(git, workspace, isReadOnly),
    ...cursor.mounts,
    ...(options.isStrict && !isReadOnly ? dotMounts(workspace) : []),
  ];
  return { mounts, release };
}

/** A link can be replaced although what it leads to is read-only, and bubblewrap would follow it to mount elsewhere. */
function assertNoLink(path: string, workspace: string): void {
  const link = [...waysTo(path, workspace), path].find(
    (way) => lstatSync(way, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  if (link === undefined) return;
  throw new CaretError("workspace-forbidden", `${link} is a link, which a sandbox cannot guard`, {
    fix: "Replace it by what it leads to, set `sandbox.git` to open, or choose a turn without a sandbox.",
  });
}

function assertApart({ workspace, apart }: WorkspaceOptions): void {
  const inside = apart.find((path) => wayInside(workspace, path) !== undefined);
  if (inside === undefined) return;
  throw new CaretError("workspace-forbidden", `${workspace} holds ${inside}, which a sandbox must keep apart`, {
    fix: "Choose a directory below it, or a turn without a sandbox.",
  });
}

function cursorMount(options: WorkspaceOptions): {
  readonly mounts: readonly Mount[];
  readonly guarded: readonly GuardedPath[];
} {
  const { workspace, directory, isReadOnly, isOurs, cursorFiles } = options;
  const path = join(workspace, ".cursor");
  const guarded = [{ path, missing: { kind: "directory" as const } }];
  if (isOurs) return { mounts: [{ kind: "read", path }], guarded: [] };
  const isNeeded = existsSync(path) || Object.keys(cursorFiles).length > 0;
  if (isReadOnly && !isNeeded) return { mounts: [], guarded: [] };
  const own = join(directory, "cursor");
  writeCursorDirectory({ directory: own, workspace, withoutPrograms: options.isStrict, files: cursorFiles });
  return { mounts: [{ kind: "read", path, from: own }], guarded };
}

/** Above what is sealed everything is pinned: a directory that holds a mount point can be renamed, a mount point cannot. */
function gitMounts({ pinned, sealed }: GitGuards, workspace: string, isReadOnly: boolean): readonly Mount[] {
  const repository = repositoryOf(workspace);
  const kind = isReadOnly ? "read" : "write";
  const seals = sealed.map(({ path }) => path).filter((path) => existsSync(path));
  // Outermost first and each once: a second mount of a directory would cover what is mounted in it.
  const pins = [...new Set([...pinned, ...seals.flatMap((path) => waysTo(path, workspace))])].sort(byLength);
  return [
    ...(repository === undefined ? [] : [{ kind: "read", path: repository } as const]),
    ...pins.map((path) => ({ kind, path }) as const),
    ...seals.sort(byLength).map((path) => ({ kind: "read", path }) as const),
  ];
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}

/** The directories between the workspace and a path in it, from the outermost. */
function waysTo(path: string, workspace: string): readonly string[] {
  const ways: string[] = [];
  for (let place = dirname(path); (wayInside(workspace, place) ?? "") !== ""; place = dirname(place))
    ways.unshift(place);
  return ways;
}

/** Settings of editors, shells, package managers and hooks that lie in the workspace itself. */
function dotMounts(workspace: string): readonly Mount[] {
  return readdirSync(workspace, { withFileTypes: true })
    .filter((entry) => entry.name.startsWith(".") && (entry.isDirectory() || entry.isFile()))
    .filter(({ name }) => name !== ".git" && name !== ".cursor")
    .map(({ name }) => ({ kind: "read", path: join(workspace, name) }));
}
