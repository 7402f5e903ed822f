import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";
import { wayInside } from "../paths/physical-path.ts";
import type { MountPoints } from "./mount-points.ts";
import type { NamedFile } from "./repository/named-files.ts";
import type { Mount } from "./walls.ts";

/**
 * Makes files and directories of the workspace read-only, those that are not there yet too. Above each of them everything
 * becomes a mount point: a directory that holds a mount point can be renamed, a mount point cannot.
 */
export async function sealFiles(
  files: readonly NamedFile[],
  { workspace, points, holder }: { readonly workspace: string; readonly points: MountPoints; readonly holder: string },
  onHeld: (release: () => Promise<void>) => void,
): Promise<readonly Mount[]> {
  for (const { path } of files) assertNoLink(path, workspace);
  const wanted = files.map((file) => firstMissing(file, workspace));
  for (const { path, missing } of wanted) if (missing !== undefined) onHeld(await points.hold(path, missing, holder));
  const sealed = [...new Set(wanted.map(({ path }) => path))].filter((path) => existsSync(path));
  // Outermost first and each once: a second mount of a directory would cover what is mounted in it.
  const pinned = [...new Set(sealed.flatMap((path) => waysTo(path, workspace)))].sort(byLength);
  return [
    ...pinned.map((path) => ({ kind: "write", path }) as const),
    ...sealed.sort(byLength).map((path) => ({ kind: "read", path }) as const),
  ];
}

/** Where its directory is missing, too, that one is made instead: read-only, it stays empty. */
function firstMissing(file: NamedFile, workspace: string): NamedFile {
  const way = waysTo(file.path, workspace).find((path) => !existsSync(path));
  return way === undefined || file.missing === undefined ? file : { path: way, missing: { kind: "directory" } };
}

/** A link can be replaced although what it leads to is read-only. */
export function assertNoLink(path: string, workspace: string): void {
  const link = [...waysTo(path, workspace), path].find(
    (way) => lstatSync(way, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  if (link === undefined) return;
  throw new CaretError("workspace-forbidden", `${link} is a link, which a sandbox cannot guard`, {
    fix: "Replace it by what it leads to, set `sandbox.git` to open, or choose a turn without a sandbox.",
  });
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
