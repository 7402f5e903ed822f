import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/** As many as the kernel allows. */
const MAX_LINKS = 40;
/** No system opens a path, or has a name, with more bytes than these: what is longer leads nowhere that could be judged. */
const MAX_PATH_BYTES = 4_096;
const MAX_NAME_BYTES = 255;
/** The kernel goes through a path from its beginning at each name, so that long ones cost the square of their depth. */
const MAX_NAMES = 512;

/**
 * Where a path can end when links are followed. There may be several: what acts on an entry itself does not follow its
 * last link, a shell goes up from where a link led, and a tool of ours goes up by the spelling. What does not exist yet is
 * taken as it is spelled. Undefined in the list: unknown, because the links form a cycle or the path is too long.
 */
export function pathEnds(base: string, path: string): readonly (string | undefined)[] {
  if (isTooLong(path)) return [undefined];
  const spelled = resolve(base, path);
  const entry = parentFollowed(spelled);
  const walked = isAbsolute(path) ? followAll(path) : follow(followAll(base) ?? base, path);
  return [...new Set([entry, followAll(spelled), walked])];
}

/** Where an absolute path ends; what does not exist is taken as it is spelled. */
export function followAll(absolute: string): string | undefined {
  const { root } = parse(absolute);
  return follow(root, absolute.slice(root.length));
}

/** The entry itself, in the real directory that holds it. */
function parentFollowed(absolute: string): string | undefined {
  const parent = followAll(dirname(absolute));
  return parent === undefined ? undefined : join(parent, absolute.slice(dirname(absolute).length));
}

/** Walks as the kernel does: each link is followed where it stands, and `..` leads up from where one really is. */
function follow(start: string, path: string): string | undefined {
  if (isTooLong(path)) return undefined;
  let at = start;
  // What is ahead, the next name last.
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
    return undefined; // below a file, or in an unreadable directory: using it will fail with the error
  }
}
