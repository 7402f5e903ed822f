import { isAbsolute, relative, sep } from "node:path";

/**
 * The way from a directory to a path in it: empty for the directory itself, undefined when the path is not inside.
 *
 * It compares spellings. A caller who must not be led out by a link resolves both paths first.
 */
export function wayInside(directory: string, path: string): string | undefined {
  const way = relative(directory, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
