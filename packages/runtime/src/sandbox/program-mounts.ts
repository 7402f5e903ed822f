import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { wayInside } from "../paths/physical-path.ts";
import type { ResolvedLaunch } from "../process/resolve-launch.ts";
import type { Mount } from "./walls.ts";

/** Mounted in every sandbox anyway. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

/**
 * What a program needs to be started: its own file, and what lies beside it, since programs are installed in directories
 * of their own. A directory that holds anything of `apart`, such as a person's home, is never opened for that.
 */
export function programMounts(launch: ResolvedLaunch, apart: readonly string[]): readonly Mount[] {
  const files = [launch.file, ...launch.args].filter((word) => isAbsolute(word) && existsSync(word));
  return files.flatMap((file) => fileMounts(file, apart));
}

/** Files and directories that are named by a person, or are ours. */
export function readableMounts(paths: readonly string[]): readonly Mount[] {
  return paths.filter((path) => existsSync(path)).flatMap((path) => [...linkTo(path), readMount(realpathSync(path))]);
}

function fileMounts(file: string, apart: readonly string[]): readonly Mount[] {
  const real = realpathSync(file);
  if (isOfSystem(file) && isOfSystem(real)) return [];
  const isOpen = (directory: string): boolean =>
    directory !== "/" && !apart.some((path) => wayInside(directory, path) !== undefined);
  const root = [packageRootOf(real), dirname(real)].find((path) => path !== undefined && isOpen(path));
  return [readMount(root ?? real), ...linkTo(file)];
}

/** Where a script's modules are found: the nearest directory above with a `node_modules` in it. */
function packageRootOf(file: string): string | undefined {
  if (!/\.[cm]?[jt]s$/.test(file)) return undefined;
  for (let place = dirname(file); dirname(place) !== place; place = dirname(place))
    if (existsSync(join(place, "node_modules"))) return place;
  return undefined;
}

/** Installers link programs into a directory of links: of that directory only the one link is there inside. */
function linkTo(path: string): readonly Mount[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && !isOfSystem(path) ? [{ kind: "link", path, to: realpathSync(path) }] : [];
}

function readMount(path: string): Mount {
  return { kind: "read", path };
}

function isOfSystem(path: string): boolean {
  return SYSTEM.some((directory) => wayInside(directory, path) !== undefined);
}
