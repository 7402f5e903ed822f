import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { CaretError } from "@caret/protocol";
import { wayInside } from "../paths/way-inside.ts";

/**
 * The physical path of a workspace, once it is sure that turns may work there: it exists, and lies in one of the allowed
 * directories. Links are followed first, so that a link inside an allowed place leads nowhere else.
 */
export function allowedWorkspace(path: string, allowed: readonly string[]): string {
  if (!isAbsolute(path)) throw new CaretError("invalid-request", `The workspace ${path} is not an absolute path`);
  const physical = physicalDirectory(path);
  const places = allowed.flatMap((place) => tryPhysical(place));
  if (places.some((place) => wayInside(place, physical) !== undefined)) return physical;
  throw new CaretError("workspace-forbidden", `Turns may not work in ${physical}`, {
    fix: "Add it to `workspaces.allow` in caret.json, or choose a workspace that is there.",
  });
}

function physicalDirectory(path: string): string {
  try {
    const physical = realpathSync(path);
    if (statSync(physical).isDirectory()) return physical;
  } catch (reason) {
    throw new CaretError("workspace-missing", `The workspace ${path} does not exist`, { cause: reason });
  }
  throw new CaretError("workspace-missing", `The workspace ${path} is not a directory`);
}

function tryPhysical(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return []; // an allowed place that does not exist allows nothing
  }
}
