import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inSlices } from "../../async/in-slices.ts";
import { onDisk } from "../../git/byte-path.ts";
import type { Repository } from "./ask-repository.ts";
import { privateConfig } from "./private-config.ts";
import { cleanWorktrees } from "./private-worktrees.ts";

/** More files than this are no work of a turn. */
const MAX_FILES = 1_000_000;

/** What is read of the directory after the turn. All else is removed unseen: hooks, includes, attributes, graphs, lists of steps. */
const READ = /^(?:HEAD|index|sharedindex\.[0-9a-f]+|packed-refs|refs|logs|objects|worktrees)$/;
const OF_OBJECTS = /^(?:[0-9a-f]{2}|pack)$/;
const OF_PACKS = /\.(?:pack|idx|promisor)$/;

/**
 * Makes what a turn has left a repository that git can be run in: of the agent's files only those that hold data, links and
 * devices removed, under the configuration that Caret wrote before the turn.
 */
export async function cleanPrivateRepository(
  directory: string,
  { workspace, config, objectFormat, objects }: Repository,
): Promise<void> {
  const shallow = readIfThere(`${directory}.shallow`);
  await makePlain(directory);
  keepOnly(directory, READ);
  const stored = join(directory, "objects");
  keepOnly(stored, OF_OBJECTS);
  keepOnly(join(stored, "pack"), OF_PACKS);
  mkdirSync(join(stored, "info"), { recursive: true });
  mkdirSync(join(directory, "refs"), { recursive: true });
  writeFileSync(join(stored, "info", "alternates"), objects.map((path) => `${path}\n`).join(""));
  writeFileSync(join(directory, "config"), privateConfig(config, objectFormat));
  cleanWorktrees(directory, workspace);
  if (shallow !== undefined) writeFileSync(join(directory, "shallow"), shallow);
}

function keepOnly(directory: string, names: RegExp): void {
  for (const name of existsSync(directory) ? readdirSync(directory) : [])
    if (!names.test(name)) rmSync(join(directory, name), { recursive: true, force: true });
}

/** Removes all but files and directories, and opens those to us that the agent has closed. */
export async function makePlain(top: string): Promise<void> {
  const waiting: Buffer[] = [Buffer.from(top)];
  await inSlices(taken(waiting), (path) => {
    if (waiting.length > MAX_FILES) throw new RangeError("the turn left too many files in its repository");
    const stat = lstatSync(path);
    if (!stat.isDirectory() && !stat.isFile()) return rmSync(path);
    chmodSync(path, stat.isDirectory() ? 0o700 : 0o600);
    if (!stat.isDirectory()) return;
    for (const name of readdirSync(path, { encoding: "latin1" })) waiting.push(onDisk(path, name));
  });
}

/** The list may grow meanwhile. */
function* taken(waiting: readonly Buffer[]): Iterable<Buffer> {
  for (let at = 0; at < waiting.length; at += 1) yield waiting[at] as Buffer;
}

function readIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}
