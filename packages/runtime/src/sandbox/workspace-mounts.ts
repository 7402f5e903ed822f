import { existsSync, lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Git } from "../git/run-git.ts";
import { physicalPath, wayInside } from "../paths/physical-path.ts";
import { writeCursorDirectory } from "./cursor-directory.ts";
import { openLaterRuns } from "./later-runs/open-later-runs.ts";
import type { MountPoints } from "./mount-points.ts";
import { type GitMounts, openGitMounts } from "./repository/git-mounts.ts";
import { linkedHooks } from "./repository/linked-hooks.ts";
import { type NamedFile, namedFiles } from "./repository/named-files.ts";
import { type ConfigEntry, readConfig } from "./repository/read-config.ts";
import { repositoriesAbove } from "./repository/repositories-above.ts";
import { assertNoLink, sealFiles } from "./sealed-files.ts";
import { listByTrueName } from "./true-name.ts";
import type { Mount } from "./walls.ts";

export interface WorkspaceOptions {
  readonly workspace: string;
  readonly isReadOnly: boolean;
  readonly isStrict: boolean;
  readonly git: "guarded" | "open";
  readonly runGit: Git;
  /** What git says in the workspace; undefined: nothing. */
  readonly config: readonly ConfigEntry[] | undefined;
  /** Of the user whose git it is. */
  readonly home: string;
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
  /** Takes over what the turn made with git, and removes what had to be made in the workspace. Returns what a person has to know. */
  close(): Promise<readonly string[]>;
}

/** The workspace as a sandbox sees it: the real one, with those parts read-only or replaced that decide what runs outside. */
export async function openWorkspaceMounts(options: WorkspaceOptions): Promise<WorkspaceMounts> {
  const { workspace, isReadOnly, isStrict, points, holder, directory, runGit, home } = options;
  assertApart(options);
  const cursor = cursorMount(options);
  const closes: (() => Promise<readonly string[]>)[] = [];
  const close = async (): Promise<readonly string[]> => {
    const words: string[] = [];
    for (const each of closes.splice(0).reverse())
      words.push(
        ...(await each().catch((reason) => [
          `Not all could be looked at that the turn has left (${CaretError.from(reason).message}).`,
        ])),
      );
    return words;
  };
  try {
    if (cursor.isGuarded) {
      const release = await points.hold(join(workspace, ".cursor"), { kind: "directory" }, holder);
      closes.push(async () => release().then(() => []));
    }
    const place = join(directory, "withheld", holder);
    const later = await openLaterRuns({ git: runGit, workspace, home, isReadOnly, isStrict, place });
    closes.push(later.close);
    // Closed before: working trees that the turn made are known when they are looked at.
    const named = isReadOnly || options.git === "open" ? [] : await namedInside(options);
    const git = await gitMounts(options, join(directory, "git"), named);
    closes.push(git.close);
    const sealed = await sealFiles(named, options, (release) => closes.push(async () => release().then(() => [])));
    const mounts: readonly Mount[] = [
      { kind: isReadOnly ? "read" : "write", path: workspace },
      ...sealed,
      ...git.mounts,
      ...cursor.mounts,
      ...(isStrict && !isReadOnly ? dotMounts(workspace) : []),
    ];
    return { mounts, close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

/** What the workspace's own repository, and those that it lies in, name in it. */
async function namedInside({ runGit, workspace, home, config }: WorkspaceOptions): Promise<readonly NamedFile[]> {
  const own = namedFiles(config ?? [], await linkedHooks(runGit, workspace), { workspace, top: workspace, home });
  const named = new Map(own.map((file) => [file.path, file]));
  for (const top of repositoriesAbove(workspace)) {
    const above = (await readConfig(runGit, top, { HOME: home })) ?? [];
    for (const file of namedFiles(above, await linkedHooks(runGit, top), { workspace, top, home }))
      if (named.get(file.path)?.missing === undefined) named.set(file.path, file);
  }
  return [...named.values()];
}

async function gitMounts(options: WorkspaceOptions, root: string, named: readonly NamedFile[]): Promise<GitMounts> {
  if (options.git === "open") return { mounts: [], close: async () => [] };
  const sealed = named.map(({ path }) => relative(options.workspace, path));
  return await openGitMounts({ ...options, git: options.runGit, root, sealed });
}

function assertApart({ workspace, isOurs, apart }: WorkspaceOptions): void {
  if (!isOurs && physicalPath(workspace) !== workspace)
    throw new CaretError("workspace-forbidden", `${workspace} is a link, which a sandbox cannot guard`, {
      fix: "Choose the directory that it leads to.",
    });
  const inside = apart.find((path) => wayInside(workspace, path) !== undefined);
  if (inside === undefined) return;
  throw new CaretError("workspace-forbidden", `${workspace} holds ${inside}, which a sandbox must keep apart`, {
    fix: "Choose a directory below it, or a turn without a sandbox.",
  });
}

function cursorMount(options: WorkspaceOptions): { readonly mounts: readonly Mount[]; readonly isGuarded: boolean } {
  const { workspace, directory, isReadOnly, isOurs, cursorFiles } = options;
  const path = join(workspace, ".cursor");
  if (isOurs) return { mounts: [{ kind: "read", path }], isGuarded: false };
  const isNeeded = existsSync(path) || Object.keys(cursorFiles).length > 0;
  if (isReadOnly && !isNeeded) return { mounts: [], isGuarded: false };
  assertNoLink(path, workspace);
  const own = join(directory, "cursor");
  writeCursorDirectory({ directory: own, workspace, withoutPrograms: options.isStrict, files: cursorFiles });
  return { mounts: [{ kind: "read", path, from: own }], isGuarded: true };
}

/** Settings of editors, shells, package managers and hooks that lie in the workspace itself. */
function dotMounts(workspace: string): readonly Mount[] {
  return (listByTrueName(workspace) ?? [])
    .filter((name) => name.startsWith(".") && name !== ".git" && name !== ".cursor")
    .map((name) => join(workspace, name))
    .filter((path) => isFileOrDirectory(path))
    .map((path) => ({ kind: "read", path }));
}

function isFileOrDirectory(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true || stat?.isDirectory() === true;
}
