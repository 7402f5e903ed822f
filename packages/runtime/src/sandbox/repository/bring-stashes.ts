import { type RepositoryState, type RunIn, readState, type Stash } from "./repository-state.ts";

/** Stashes that the turn has made, the oldest first. */
export function newStashes(before: RepositoryState, after: Pick<RepositoryState, "stashes">): readonly Stash[] {
  const known = new Set(before.stashes.map(({ commit }) => commit));
  return after.stashes.filter(({ commit }) => !known.has(commit)).reverse();
}

/** Drops outside what the turn has dropped, and stores what it has made. Others that came meanwhile stay. */
export async function bringStashes(
  outside: RunIn,
  before: RepositoryState,
  after: Pick<RepositoryState, "stashes">,
): Promise<void> {
  if (JSON.stringify(before.stashes) === JSON.stringify(after.stashes)) return;
  const left = new Set(after.stashes.map(({ commit }) => commit));
  const dropped = new Set(before.stashes.map(({ commit }) => commit).filter((commit) => !left.has(commit)));
  if (dropped.size > 0) {
    const { stashes } = await readState(outside);
    for (const [index, { commit }] of [...stashes.entries()].reverse())
      if (dropped.has(commit)) await drop(outside, index, commit);
  }
  const { stashes } = await readState(outside);
  const there = new Set(stashes.map(({ commit }) => commit));
  for (const { commit, message } of newStashes(before, after))
    if (!there.has(commit)) await outside(["stash", "store", "--quiet", "-m", message, commit]);
}

/** A stash has no name but its place: one that came between reading and dropping has moved them all, and is stored again. */
async function drop(outside: RunIn, index: number, commit: string): Promise<void> {
  const printed = await outside(["stash", "drop", `stash@{${index}}`]);
  const gone = /\(([0-9a-f]{40,64})\)/.exec(printed)?.[1];
  if (gone === undefined || gone === commit) return;
  const message = (await outside(["log", "-1", "--format=%s", gone, "--"])).trim();
  await outside(["stash", "store", "--quiet", "-m", message, gone]);
}
