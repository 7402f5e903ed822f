import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { filterInSlices } from "../../async/in-slices.ts";
import { onDisk } from "../../git/byte-path.ts";
import type { RepositoryState } from "./repository-state.ts";

/**
 * What git does not find in a damaged repository was not deleted: a reference whose file git cannot read, all of them where
 * `packed-refs` is gone, the branch that HEAD names, and stashes whose log does not begin with the last one. They count as they were.
 */
export async function withoutDamage(directory: string, before: RepositoryState, after: RepositoryState) {
  const isWhole = existsSync(join(directory, "packed-refs"));
  const isHidden = (name: string): boolean =>
    !isWhole ||
    after.head === `ref: ${name}` ||
    lstatSync(onDisk(directory, name), { throwIfNoEntry: false })?.isFile() === true;
  const names = Object.keys(before.refs);
  const hidden = await filterInSlices(names, (name) => after.refs[name] === undefined && isHidden(name));
  const refs = { ...after.refs };
  for (const name of hidden) refs[name] = before.refs[name] ?? "";
  const isLogWhole = refs["refs/stash"] === undefined || after.stashes[0]?.commit === refs["refs/stash"];
  return { after: { ...after, refs, stashes: isLogWhole ? after.stashes : before.stashes }, hidden };
}
