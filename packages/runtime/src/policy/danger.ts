import { lstatSync, type Stats } from "node:fs";
import { dangerOfCommand } from "./dangerous-commands.ts";
import { decidesWhatRuns } from "./decides-what-runs.ts";
import { isKeptByGit } from "./kept-by-git.ts";
import { followAll } from "./path-ends.ts";
import type { PathPart, Place, PolicyCall, PolicyPart } from "./policy-parts.ts";

/**
 * Why one thing that a call would do is dangerous, in words; undefined when it is not.
 *
 * Dangerous is what destroys work that nobody can give back, reaches beyond the workspace, changes what is run later, or
 * cannot be read. Mode and rules make no difference to it: nobody should allow such a thing once for all.
 */
export function dangerOf(call: PolicyCall, part: PolicyPart, workspace: string): string | undefined {
  if (part.kind === "command") return dangerOfCommand(part.words);
  if (part.kind === "opaque") return `the command line cannot be judged: ${part.what}`;
  if (part.kind === "whole") return undefined;
  if (part.use === "deleted") return dangerOfChange(part, workspace) ?? dangerOfDeletion(part);
  if (part.use === "mentioned") return undefined;
  const isChanged = part.use !== "named" || call.kind === "edit" || call.kind === "write";
  return isChanged ? dangerOfChange(part, workspace) : undefined;
}

function dangerOfChange({ path, use }: PathPart, workspace: string): string | undefined {
  const real = followAll(workspace) ?? workspace;
  for (const end of path.ends) {
    if (end.inWorkspace === undefined) return `${shown(path, end)} is not known to be in the workspace`;
    if (decidesWhatRuns(end.absolute, real)) return `${shown(path, end)} decides what is run`;
    // A shell writes into the file that is there; our own tools put a new one in its place.
    if ((use === "written" || use === "operand") && isSharedFile(end.absolute))
      return `${shown(path, end)} is another file as well (hard link)`;
  }
  return undefined;
}

function isSharedFile(path: string): boolean {
  const stat = statOf(path);
  return stat?.isFile() === true && stat.nlink > 1;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or closed to us: then nothing can be done to it either
  }
}

function dangerOfDeletion({ path, recursive }: PathPart): string | undefined {
  const entry = path.ends[0]?.absolute ?? path.absolute;
  const name = path.inWorkspace ?? path.absolute;
  const stat = statOf(entry);
  if (stat === undefined) return undefined; // there is nothing to delete
  if (stat.isDirectory()) return recursive ? `${name || "the workspace"} is deleted with everything in it` : undefined;
  return isKeptByGit(entry) ? undefined : `${name} is deleted, and git cannot give it back as it is`;
}

/** The name that was given, and what it leads to where that is another. */
function shown(path: Place, end: Place): string {
  const name = (place: Place): string => place.inWorkspace ?? place.absolute;
  return name(path) === name(end) ? name(path) : `${name(path)} leads to ${name(end)}, which`;
}
