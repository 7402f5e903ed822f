import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { filterInSlices, inSlices } from "../../async/in-slices.ts";
import { type BytePath, onDisk } from "../../git/byte-path.ts";
import type { RunIn } from "./repository-state.ts";

/** What an index says of one path: a line for each of its stages. */
type Entries = ReadonlyMap<BytePath, readonly string[]>;

/** How an index was changed: what the changed paths were, and are. */
export interface IndexChange {
  readonly before: Entries;
  readonly after: Entries;
  /** Paths that a sparse checkout leaves out of the working tree. */
  readonly skipped: readonly BytePath[];
  /** Contents that are in the index now and were not. */
  readonly blobs: readonly string[];
}

const LIST = ["ls-files", "-t", "--stage", "--full-name", "-z"];

/** What an index holds. */
interface Index {
  readonly entries: Entries;
  readonly skipped: ReadonlySet<string>;
}

const NOTHING: Index = { entries: new Map(), skipped: new Set() };

/** Undefined when nothing that counts has changed: only the times of files, say. */
export async function changeOfIndex(inside: RunIn, files: { readonly before: string; readonly after: string }) {
  // One that is gone, or was a link, says nothing: the user's stays.
  if (!existsSync(files.after) || fingerprint(files.before) === fingerprint(files.after)) return undefined;
  const [{ entries: before }, { entries: after, skipped }] = await Promise.all([
    readIndex(inside, files.before),
    readIndex(inside, files.after),
  ]);
  const all = new Set([...before.keys(), ...after.keys()]);
  const paths = await filterInSlices(all, (path) => differ(before, after, path));
  if (paths.length === 0) return undefined;
  const pick = (from: Entries): Entries => new Map(paths.flatMap((path) => entry(from, path)));
  const rows = paths.flatMap((path) => after.get(path) ?? []).map((row) => row.split(" "));
  const blobs = rows.flatMap(([mode, blob = ""]) => (mode === "160000" ? [] : [blob]));
  return { before: pick(before), after: pick(after), skipped: paths.filter((path) => skipped.has(path)), blobs };
}

function entry(from: Entries, path: string): [string, readonly string[]][] {
  const found = from.get(path);
  return found === undefined ? [] : [[path, found]];
}

function differ(one: Entries, other: Entries, path: string): boolean {
  return one.get(path)?.join("\n") !== other.get(path)?.join("\n");
}

function fingerprint(file: string): string {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
}

async function readIndex(run: RunIn, file?: string): Promise<Index> {
  if (file !== undefined && !existsSync(file)) return NOTHING;
  const env = file === undefined ? {} : { GIT_INDEX_FILE: file };
  const found = new Map<string, string[]>();
  const skipped = new Set<string>();
  // Each row begins with a letter: `S` where the file is left out of the working tree.
  await inSlices((await run(LIST, { env, decoding: "latin1" })).split("\0"), (row) => {
    const tab = row.indexOf("\t");
    if (tab < 0) return;
    const path = row.slice(tab + 1);
    const entry = row.slice("S ".length, tab);
    if (row.startsWith("S ")) skipped.add(path);
    const rows = found.get(path);
    if (rows === undefined) found.set(path, [entry]);
    else rows.push(entry);
  });
  return { entries: found, skipped };
}

/**
 * Makes the same change in the user's index, path by path. A path that has changed there meanwhile stays as the user has it: those are
 * returned. The agent's own index is never put in its place: git trusts what stands in that file.
 */
export async function bringIndex(
  outside: RunIn,
  top: string,
  { before, after, skipped }: IndexChange,
): Promise<readonly string[]> {
  const { entries: now } = await readIndex(outside);
  const paths = new Set([...before.keys(), ...after.keys()]);
  const wanted = await filterInSlices(paths, (path) => differ(now, after, path));
  const lost = await filterInSlices(wanted, (path) => differ(now, before, path));
  const ours = await filterInSlices(wanted, (path) => !differ(now, before, path));
  if (ours.length === 0) return lost;
  const zero = "0".repeat(idLength(before, after));
  const removed = ours.map((path) => `0 ${zero}\t${path}\0`);
  const added = ours.flatMap((path) => (after.get(path) ?? []).map((row) => `${row}\t${path}\0`));
  await patiently(() =>
    outside(["update-index", "-z", "--index-info"], { input: inBytes([...removed, ...added].join("")) }),
  );
  const taken = new Set(ours);
  const absent = skipped.filter((path) => taken.has(path) && !existsSync(onDisk(top, path)));
  if (absent.length > 0 && (await isSparse(outside)))
    await patiently(() =>
      outside(["update-index", "-z", "--skip-worktree", "--stdin"], { input: inBytes(absent.join("\0")) }),
    );
  return lost;
}

/** Only there may a file be left out of the working tree: elsewhere it would be a deletion that `git status` does not show. */
async function isSparse(outside: RunIn): Promise<boolean> {
  const words = ["config", "--type=bool", "--get", "core.sparseCheckout"];
  return (await outside(words, { codes: [0, 1] })).trim() === "true";
}

function inBytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function idLength(...all: readonly Entries[]): number {
  const [row = ""] = all.flatMap((entries) => [...entries.values()].flat());
  return row.split(" ")[1]?.length ?? 40;
}

/** The user's git has the index locked for a moment at a time. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (const waitMs of [50, 200, 800]) {
    try {
      return void (await work());
    } catch (reason) {
      if (!String(reason).includes("index.lock")) throw reason;
      await sleep(waitMs);
    }
  }
  await work();
}
