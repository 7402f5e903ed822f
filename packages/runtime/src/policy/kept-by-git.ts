import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { wayInside } from "../paths/physical-path.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** Offsets in an index entry, which holds times, device, inode, mode, owner, size, hash, flags and name. */
const [MODE_AT, HASH_AT, FLAGS_AT, NAME_AT] = [24, 40, 60, 62];
const CHECKSUM_BYTES = 20;

/**
 * Whether git can restore a file's current content: its index has an entry with the hash of exactly this content.
 *
 * The index is read here without starting git, because a repository's settings can make git run programs. Anything not understood (SHA-256,
 * a split index, a content filter) counts as not kept.
 */
export function isKeptByGit(path: string): boolean {
  try {
    const repository = repositoryOf(path);
    const name = repository === undefined ? undefined : wayInside(repository.top, path)?.split(sep).join("/");
    if (repository === undefined || name === undefined) return false;
    const hash = indexedHash(readIndex(join(repository.directory, "index")), Buffer.from(name).toString("latin1"));
    return hash !== undefined && hash === blobHash(path);
  } catch {
    return false; // no index, a damaged one, or an unreadable file: git may not have it
  }
}

interface Repository {
  readonly top: string;
  readonly directory: string;
}

function repositoryOf(path: string): Repository | undefined {
  for (let top = dirname(path); ; top = dirname(top)) {
    const entry = join(top, ".git");
    const stat = lstatSync(entry, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return { top, directory: entry };
    const target = stat?.isFile() ? /^gitdir: (.+)$/m.exec(readFileSync(entry, "utf8"))?.[1] : undefined;
    if (target !== undefined) return { top, directory: resolve(top, target) };
    if (dirname(top) === top) return undefined;
  }
}

function blobHash(path: string): string | undefined {
  const stat = lstatSync(path);
  if (!(stat.isFile() || stat.isSymbolicLink()) || stat.size > MAX_BYTES) return undefined;
  const content = stat.isFile() ? readFileSync(path) : Buffer.from(readlinkSync(path));
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

function readIndex(file: string): Buffer {
  const bytes = readFileSync(file);
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  const isWhole = createHash("sha1").update(body).digest().equals(bytes.subarray(-CHECKSUM_BYTES));
  if (!isWhole || body.toString("latin1", 0, 4) !== "DIRC") throw new RangeError("not an index of SHA-1 hashes");
  return body;
}

/** The index's hash for a name (its bytes as Latin-1); undefined if it has none, or several that conflict. */
function indexedHash(index: Buffer, wanted: string): string | undefined {
  const version = index.readUInt32BE(4);
  let at = 12;
  let name = "";
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flags = index.readUInt16BE(at + FLAGS_AT);
    const nameAt = at + NAME_AT + (version >= 3 && (flags & 0x4000) !== 0 ? 2 : 0);
    const read = version === 4 ? readSharedName(index, nameAt, name) : readPaddedName(index, nameAt, at);
    name = read.name;
    const isPlain = (flags & 0x3000) === 0 && isFileOrLink(index.readUInt32BE(at + MODE_AT));
    if (name === wanted) return isPlain ? index.toString("hex", at + HASH_AT, at + FLAGS_AT) : undefined;
    at = read.end;
  }
  return undefined;
}

function isFileOrLink(mode: number): boolean {
  const kind = mode & 0o170000;
  return kind === 0o100000 || kind === 0o120000;
}

/** Entries are padded with at least one NUL to a multiple of eight bytes. */
function readPaddedName(index: Buffer, from: number, start: number): { name: string; end: number } {
  const to = index.indexOf(0, from);
  return { name: index.toString("latin1", from, to), end: start + (Math.floor((to - start) / 8) + 1) * 8 };
}

/** Version 4: the number of bytes to drop from the previous name, and what to append. */
function readSharedName(index: Buffer, from: number, before: string): { name: string; end: number } {
  let at = from;
  let byte = index.readUInt8(at);
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = index.readUInt8(at);
    dropped = (dropped + 1) * 128 + (byte & 0x7f);
  }
  const to = index.indexOf(0, at + 1);
  const kept = before.slice(0, before.length - dropped);
  return { name: kept + index.toString("latin1", at + 1, to), end: to + 1 };
}
