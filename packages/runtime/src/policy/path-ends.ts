import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/** The kernel's own limit. */
const MAX_LINKS = 40;
/** No system allows longer paths or names, in bytes: a longer one leads nowhere that could be judged. */
const MAX_PATH_BYTES = 4_096;
const MAX_NAME_BYTES = 255;
/** The kernel walks a path from its start for each name, so long paths cost the square of their depth. */
const MAX_NAMES = 512;

/**
 * Where a path can end when links are followed. There may be several: an operation on the entry itself does not follow its last link, a
 * shell resolves `..` from a link's target, and our tools resolve it by spelling. Parts that do not exist yet are taken literally.
 * Undefined in the list means unknown, because links form a cycle or the path is too long.
 */
export function pathEnds(base: string, path: string): readonly (string | undefined)[] {
  if (isTooLong(path)) return [undefined];
  const spelled = resolve(base, path);
  const entry = parentFollowed(spelled);
  const walked = isAbsolute(path) ? followAll(path) : follow(followAll(base) ?? base, path);
  return [...new Set([entry, followAll(spelled), walked])];
}

/** Where an absolute path ends; missing parts are taken literally. */
export function followAll(absolute: string): string | undefined {
  const { root } = parse(absolute);
  return follow(root, absolute.slice(root.length));
}

/** The entry itself, in its parent's real directory. */
function parentFollowed(absolute: string): string | undefined {
  const parent = followAll(dirname(absolute));
  return parent === undefined ? undefined : join(parent, absolute.slice(dirname(absolute).length));
}

/** Walks as the kernel does: each link is resolved in place, and `..` leads up from the real directory. */
function follow(start: string, path: string): string | undefined {
  if (isTooLong(path)) return undefined;
  let at = start;
  // Remaining names, the next one last.
  const ahead = path.split(sep).reverse();
  let links = 0;
  for (let walked = 0; ahead.length > 0; walked += 1) {
    if (links > MAX_LINKS || walked > MAX_NAMES || at.length > MAX_PATH_BYTES) return undefined;
    const name = ahead.pop() ?? "";
    const next = join(at, name);
    const target = name === ".." ? undefined : linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (isAbsolute(target)) at = parse(at).root;
    ahead.push(...target.split(sep).reverse());
  }
  return at;
}

function isTooLong(path: string): boolean {
  if (path.length > MAX_PATH_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES) return true;
  return path.split(sep).some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // below a file, or in an unreadable directory: using it will fail with that error
  }
}
