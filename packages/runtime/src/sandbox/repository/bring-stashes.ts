import { type RepositoryState, type RunIn, readState, type Stash } from "./repository-state.ts";

/** Stashes that the turn has made, the oldest first. */
export function newStashes(before: RepositoryState, after: RepositoryState): readonly Stash[] {
  const known = new Set(before.stashes.map(({ commit }) => commit));
  return after.stashes.filter(({ commit }) => !known.has(commit)).reverse();
}

/** Drops outside what the turn has dropped, and stores what it has made. Others that came meanwhile stay. */
export async function bringStashes(outside: RunIn, before: RepositoryState, after: RepositoryState): Promise<void> {
  if (JSON.stringify(before.stashes) === JSON.stringify(after.stashes)) return;
  const left = new Set(after.stashes.map(({ commit }) => commit));
  const dropped = new Set(before.stashes.map(({ commit }) => commit).filter((commit) => !left.has(commit)));
  if (dropped.size > 0) {
    const { stashes } = await readState(outside);
    for (const [index, { commit }] of [...stashes.entries()].reverse())
      if (dropped.has(commit)) await outside(["stash", "drop", "--quiet", `stash@{${index}}`]);
  }
  const { stashes } = await readState(outside);
  const there = new Set(stashes.map(({ commit }) => commit));
  for (const { commit, message } of newStashes(before, after))
    if (!there.has(commit)) await outside(["stash", "store", "--quiet", "-m", message, commit]);
}
