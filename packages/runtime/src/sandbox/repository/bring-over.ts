import { join } from "node:path";
import { shownPath } from "../../git/byte-path.ts";
import type { Git } from "../../git/run-git.ts";
import { wayInside } from "../../paths/physical-path.ts";
import type { Repository } from "./ask-repository.ts";
import { barredCommits, withoutSealed } from "./barred-commits.ts";
import { bringHead } from "./bring-head.ts";
import { bringIndex, changeOfIndex, type IndexChange } from "./bring-index.ts";
import { type Bringing, CARRIED, withObjects } from "./bring-objects.ts";
import { type BroughtRefs, bringRefs, changedRefs, KEPT } from "./bring-refs.ts";
import { bringStashes, newStashes } from "./bring-stashes.ts";
import { bringWorktrees, changesOfWorktrees } from "./bring-worktrees.ts";
import { withoutDamage } from "./damaged-refs.ts";
import { gitIn, type RepositoryState, readState } from "./repository-state.ts";

const MAX_NAMED = 20;

export interface BringOver {
  readonly git: Git;
  readonly repository: Repository;
  readonly before: RepositoryState;
  /** What the turn has left, cleaned; beside it, the index as the turn found it. */
  readonly directory: string;
  readonly id: string;
  /** What git runs of the workspace, from there: no commit and no index may change it. */
  readonly sealed: readonly string[];
}

/**
 * Brings over what a turn has made of its own repository: objects first, then references, HEAD, index, stashes and working trees.
 * What has moved outside meanwhile stays there. Returns what a person has to know. Doing it twice changes nothing.
 */
export async function bringOver({
  git,
  repository,
  before,
  directory,
  id,
  sealed,
}: BringOver): Promise<readonly string[]> {
  const { workspace } = repository;
  const inside = gitIn(git, directory, workspace);
  const outside = gitIn(git, repository.directory, workspace);
  const { after, hidden } = await withoutDamage(directory, before, await readState(inside));
  if (after.head === "") return ["The turn left a repository without a HEAD: nothing of it was taken over."];
  const changes = changedRefs(before, after);
  const index = await changeOfIndex(inside, { before: `${directory}.index`, after: join(directory, "index") });
  const detached = after.head.startsWith("ref: ") ? [] : [after.head];
  const trees = await changesOfWorktrees(git, directory, workspace);
  const blobs = [index, ...trees.changes.map((change) => change.index)].flatMap((change) => change?.blobs ?? []);
  const commits = [
    ...changes.flatMap(({ to }) => to ?? []),
    ...newStashes(before, after).map(({ commit }) => commit),
    ...(after.head === before.head ? [] : detached),
    ...trees.changes.map((tree) => tree.after).filter((head) => !head.startsWith("ref: ")),
  ];
  const bringing: Bringing = { inside, outside, directory, id };
  return await withObjects(bringing, { commits, blobs }, async () => {
    const now = await readState(outside);
    const moved = now.head === before.head || now.head === after.head ? [] : [now.head.replace(/^ref: /, "")];
    const held = new Set([...(await branchesElsewhere(outside, repository)), ...moved]);
    const barred = await barredCommits(outside, { sealed, before, tips: commits, carried: `${CARRIED}/${id}` });
    const brought = await bringRefs(outside, changes, { id, held, barred, now });
    const words = [
      ...wordsOfHidden(hidden),
      ...wordsOfRefs(brought),
      ...(await headAndIndex({ outside, workspace, before, after, index, brought, barred, sealed })),
      ...(await bringWorktrees(git, repository, trees, { barred, sealed, refs: after.refs })),
      ...(await keepStashes(outside, newStashes(before, after), barred)),
    ];
    await bringStashes(outside, before, { stashes: after.stashes.filter(({ commit }) => !barred.has(commit)) });
    return words;
  });
}

interface HeadAndIndex {
  readonly workspace: string;
  readonly outside: ReturnType<typeof gitIn>;
  readonly before: RepositoryState;
  readonly after: RepositoryState;
  readonly index: IndexChange | undefined;
  readonly brought: BroughtRefs;
  readonly barred: ReadonlySet<string>;
  readonly sealed: readonly string[];
}

/** A stash that would put another file in the place of one that git runs here is nothing to be popped unseen. */
async function keepStashes(
  outside: HeadAndIndex["outside"],
  stashes: RepositoryState["stashes"],
  barred: ReadonlySet<string>,
): Promise<readonly string[]> {
  const words: string[] = [];
  for (const { commit } of stashes) {
    if (!barred.has(commit)) continue;
    const name = `${KEPT}/stashes/${commit}`;
    await outside(["update-ref", name, commit]);
    words.push(`A stash of the turn changes what git runs here. It is kept as ${name}.`);
  }
  return words;
}

/** The index belongs to a commit: where HEAD could not follow, it stays, too. */
async function headAndIndex({
  outside,
  workspace,
  before,
  after,
  index,
  brought,
  barred,
  sealed,
}: HeadAndIndex): Promise<readonly string[]> {
  const branch = after.head.replace(/^ref: /, "");
  const stays = "the index stays as it is: `git status` shows the turn's changes as not staged";
  if (brought.kept.some(({ name }) => name === branch))
    return [`${shownPath(branch)} stays where it is outside, and ${stays}.`];
  if (barred.has(after.head)) return [`HEAD stays where it is, since the turn's changes what git runs here; ${stays}.`];
  if (!(await bringHead(outside, before.head, after.head)))
    return [
      `HEAD has moved outside meanwhile, or the name of its branch is no text; it stays there, and ${stays}. The turn's was ${shown(after.head)}.`,
    ];
  if (index === undefined) return [];
  const open = await withoutSealed(outside, index, { sealed, refs: after.refs, head: after.head });
  const lost = await bringIndex(outside, workspace, open.index);
  const words =
    open.left.length === 0
      ? []
      : [`Git runs these files here: what the turn staged of them is not taken over: ${listed(open.left)}.`];
  if (lost.length === 0) return words;
  return [...words, `The index has changed outside meanwhile. These files stay there as they are: ${listed(lost)}.`];
}

function shown(head: string): string {
  return shownPath(head.replace(/^ref: refs\/heads\//, "the branch "));
}

function wordsOfHidden(hidden: readonly string[]): readonly string[] {
  if (hidden.length === 0) return [];
  return [`These are damaged in what the turn has left, and stay as they were: ${listed(hidden)}.`];
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
  return `${names.slice(0, MAX_NAMED).map(shownPath).join(", ")}${more}`;
}

function wordsOfRefs({ kept }: BroughtRefs): readonly string[] {
  const more = kept.length > MAX_NAMED ? [`So it is with ${kept.length - MAX_NAMED} more references.`] : [];
  const words = kept
    .slice(0, MAX_NAMED)
    .map(({ name, as, why }) =>
      as === undefined
        ? `${shownPath(name)} was deleted by the turn and stays outside: ${why}.`
        : `${shownPath(name)} stays where it is outside, since ${why}. What the turn made of it is kept as ${shownPath(as)}.`,
    );
  return [...words, ...more];
}

/** Branches that a working tree outside of the workspace has checked out. Those within are the turn's own. */
async function branchesElsewhere(
  outside: ReturnType<typeof gitIn>,
  { workspace, directory, common }: Repository,
): Promise<ReadonlySet<string>> {
  const listed = await outside(["worktree", "list", "--porcelain"], { decoding: "latin1" });
  const trees = listed.split("\n\n").map((block) => block.split("\n"));
  // The first is the repository's own; of a submodule git does not say where that is.
  const others = common === directory ? trees.slice(1) : trees;
  const elsewhere = others.filter(
    ([first = ""]) => wayInside(workspace, shownPath(first.replace(/^worktree /, ""))) === undefined,
  );
  return new Set(elsewhere.flat().flatMap((row) => /^branch (.+)$/.exec(row)?.[1] ?? []));
}
