import { realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { CaretError } from "@caret/protocol";
import { wayInside } from "./physical-path.ts";

/** Where turns may work. Asked at each decision, since directories can be allowed while Caret runs. */
export interface AllowedWorkspaces {
  directories(): readonly string[];
  /** What a person does to allow this directory, as a sentence. */
  howToAllow(directory: string): string;
}

/** These directories and no others. */
export function onlyWorkspaces(directories: readonly string[]): AllowedWorkspaces {
  return { directories: () => directories, howToAllow: () => `Choose a workspace within ${directories.join(", ")}.` };
}

/**
 * The physical path of a workspace, once it is sure that turns may work there: it exists, and lies in one of the allowed
 * directories. Links are followed first, so that a link inside an allowed directory leads nowhere else.
 */
export function allowedWorkspace(path: string, allowed: AllowedWorkspaces): string {
  if (!isAbsolute(path)) throw new CaretError("invalid-request", `The workspace ${path} is not an absolute path`);
  const physical = physicalDirectory(path);
  const directories = allowed.directories();
  if (directories.some((directory) => isSpelledInside(directory, physical))) return physical;
  const roots = directories.flatMap((directory) => tryPhysical(directory));
  if (roots.some((root) => wayInside(root, physical) !== undefined)) return physical;
  throw new CaretError("workspace-forbidden", `Turns may not work in ${physical}`, {
    fix: allowed.howToAllow(physical),
  });
}

/** Follows links; throws `workspace-missing` for what is no directory. */
export function physicalDirectory(path: string): string {
  try {
    const physical = realpathSync.native(path);
    if (statSync(physical).isDirectory()) return physical;
  } catch (reason) {
    throw new CaretError("workspace-missing", `The workspace ${path} does not exist`, { cause: reason });
  }
  throw new CaretError("workspace-missing", `The workspace ${path} is not a directory`);
}

/**
 * What a physical path begins with is physical, too: where the spelling of an allowed directory is the beginning of it, no link has to
 * be followed. A spelling with `..` or the like can mean another place than it says.
 */
function isSpelledInside(directory: string, physical: string): boolean {
  return resolve(directory) === directory && wayInside(directory, physical) !== undefined;
}

function tryPhysical(path: string): readonly string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return []; // an allowed directory that does not exist allows nothing
  }
}
