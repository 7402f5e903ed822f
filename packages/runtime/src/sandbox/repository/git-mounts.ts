import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Git } from "../../git/run-git.ts";
import { liesInRepository } from "../../git/snapshot-tree.ts";
import type { MountPoints } from "../mount-points.ts";
import type { Mount } from "../walls.ts";
import { type Answer, askRepository, type Repository } from "./ask-repository.ts";
import { PRIVATE_PLACE } from "./bring-worktrees.ts";
import { OBJECTS } from "./make-private-repository.ts";
import type { ConfigEntry } from "./read-config.ts";
import { openTurnRepository, type TurnRepository } from "./turn-repository.ts";

export interface GitMountsOptions {
  readonly git: Git;
  readonly workspace: string;
  readonly isReadOnly: boolean;
  /** What git says in the workspace; undefined: nothing. */
  readonly config: readonly ConfigEntry[] | undefined;
  /** Ours, of the session: where its turns have their repositories. */
  readonly root: string;
  /** What git runs of the workspace, from there. */
  readonly sealed: readonly string[];
  readonly points: MountPoints;
  /** A name that is used once. */
  readonly holder: string;
}

export interface GitMounts {
  readonly mounts: readonly Mount[];
  /** To be called when nothing of the turn runs any more; returns what a person has to know. */
  close(): Promise<readonly string[]>;
}

/**
 * The `.git` of a workspace as a sandbox sees it. A turn that may write has a repository of its own in its place; where git
 * cannot say what the user's is, it can only be read.
 */
export async function openGitMounts(options: GitMountsOptions): Promise<GitMounts> {
  const { git, workspace, isReadOnly, config, points, holder } = options;
  const own = join(workspace, ".git");
  if (isReadOnly && lstatSync(own, { throwIfNoEntry: false })?.isFile() !== true) return nothing([]);
  const answer = await askRepository(git, workspace, config);
  if (isReadOnly)
    return nothing(answer.kind === "repository" ? [{ kind: "read", path: answer.repository.common }] : []);
  if (answer.kind === "unusable") return unusable(own, answer);
  if (answer.kind === "repository") return await turnMounts(options, answer.repository);
  const release = await points.hold(own, { kind: "directory" }, holder);
  try {
    // Git would take a repository here for a part of the one above: there is none, as long as the turn runs.
    if (liesInRepository(dirname(workspace)))
      return { ...nothing([{ kind: "read", path: own }]), close: silently(release) };
    const opened = await turnMounts(options, undefined);
    return { mounts: opened.mounts, close: () => opened.close().finally(release) };
  } catch (reason) {
    await release();
    throw reason;
  }
}

async function turnMounts(options: GitMountsOptions, repository: Repository | undefined): Promise<GitMounts> {
  const { git, workspace, root, holder, sealed } = options;
  const own = join(workspace, ".git");
  const turn = await openTurnRepository(git, { workspace, root, id: holder, sealed }, repository);
  const isFile = repository?.entry === "file";
  if (isFile) writeFileSync(`${turn.directory}.file`, `gitdir: ${PRIVATE_PLACE}\n`, { mode: 0o644 });
  const place = isFile ? PRIVATE_PLACE : own;
  return {
    mounts: [
      ...(turn.repository?.objects ?? []).map(
        (from, index) => ({ kind: "read", path: `${OBJECTS}/${index}`, from }) as const,
      ),
      ...withoutAlternates(turn),
      { kind: "write", path: place, from: turn.directory },
      ...(isFile ? [{ kind: "read", path: own, from: `${turn.directory}.file` } as const] : []),
      ...modules(repository, place),
    ],
    close: turn.close,
  };
}

/** They are named in the turn's own repository; under the paths of the machine they are not there inside. */
function withoutAlternates({ directory, repository }: TurnRepository): readonly Mount[] {
  const from = `${directory}.none`;
  writeFileSync(from, "");
  return (repository?.objects ?? []).flatMap((path, index) =>
    existsSync(join(path, "info", "alternates"))
      ? [{ kind: "read", path: `${OBJECTS}/${index}/info/alternates`, from } as const]
      : [],
  );
}

/** Submodules have their repositories there: their files can be looked at with git, and not committed. */
function modules(repository: Repository | undefined, place: string): readonly Mount[] {
  if (repository === undefined) return [];
  const from = join(repository.common, "modules");
  return existsSync(from) ? [{ kind: "read", path: join(place, "modules"), from }] : [];
}

function unusable(own: string, { why }: Extract<Answer, { kind: "unusable" }>): GitMounts {
  const stat = lstatSync(own, { throwIfNoEntry: false });
  if (stat?.isDirectory() || stat?.isFile())
    return { mounts: [{ kind: "read", path: own }], close: async () => [`Git could only read in this turn: ${why}.`] };
  throw new CaretError("workspace-forbidden", `${own} is neither a directory nor a file`, {
    fix: "Replace it by the directory itself, or choose a turn without a sandbox.",
  });
}

function nothing(mounts: readonly Mount[]): GitMounts {
  return { mounts, close: async () => [] };
}

function silently(release: () => Promise<void>): GitMounts["close"] {
  return async () => {
    await release();
    return [];
  };
}
