import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onDisk } from "../../git/byte-path.ts";
import { copyByTrueName, directoryOf } from "../true-name.ts";
import type { Repository } from "./ask-repository.ts";
import { copyOperation } from "./operation-under-way.ts";
import { privateConfig } from "./private-config.ts";
import { copyWorktrees } from "./private-worktrees.ts";
import type { RepositoryState } from "./repository-state.ts";

/** Lists and logs longer than this are not read by anybody. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Files of a repository that say what is seen of it, and which files have filters. They name nothing to be run: the filters refuse. */
const COPIED = ["shallow", "info/exclude", "info/attributes", "info/sparse-checkout"];

/** Where a sandbox finds the objects of a repository: `<here>/0`, `<here>/1`. */
export const OBJECTS = "/run/caret/objects";

/**
 * Makes a directory of git that is the turn's own: HEAD, references, index and the logs that stashes are read from are
 * copies, objects are found in the user's repository, and the configuration is Caret's.
 */
export function makePrivateRepository(directory: string, repository: Repository, state: RepositoryState): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "logs/refs", "worktrees"])
    mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, "config"), privateConfig(repository.config, repository.objectFormat));
  writeFileSync(join(directory, "HEAD"), `${state.head || "ref: refs/heads/main"}\n`, "latin1");
  writeFileSync(join(directory, "packed-refs"), packedRefs(state), "latin1");
  for (const [name, target] of Object.entries(state.refs))
    if (target.startsWith("ref: ")) writeInto(directory, name, `${target}\n`);
  const objects = repository.objects.map((_, index) => `${OBJECTS}/${index}\n`);
  writeFileSync(join(directory, "objects/info/alternates"), objects.join(""));
  copyFiles(directory, repository, state);
  copyWorktrees(directory, repository);
  copyOperation(repository.directory, directory);
}

function packedRefs({ refs }: RepositoryState): string {
  const plain = Object.entries(refs).filter(([, target]) => !target.startsWith("ref: "));
  return plain.map(([name, commit]) => `${commit} ${name}\n`).join("");
}

function copyFiles(directory: string, { directory: own, common }: Repository, { head, refs }: RepositoryState): void {
  const copy = (from: string, name: string, maxBytes: number): void =>
    copyByTrueName(join(from, name), join(directory, name), maxBytes);
  for (const name of COPIED) copy(name === "info/sparse-checkout" ? own : common, name, MAX_LOG_BYTES);
  copy(own, "index", MAX_INDEX_BYTES);
  // What the turn found, to compare with.
  copyByTrueName(join(directory, "index"), `${directory}.index`, MAX_INDEX_BYTES);
  copyByTrueName(join(common, "shallow"), `${directory}.shallow`, MAX_LOG_BYTES);
  for (const name of listed(own).filter((file) => file.startsWith("sharedindex."))) copy(own, name, MAX_INDEX_BYTES);
  copy(own, "logs/HEAD", MAX_LOG_BYTES);
  const logs = [head.replace(/^ref: /, ""), "refs/stash"].filter((name) => refs[name] !== undefined);
  for (const name of logs)
    copyByTrueName(onDisk(common, join("logs", name)), onDisk(directory, join("logs", name)), MAX_LOG_BYTES);
}

function writeInto(directory: string, name: string, content: string): void {
  const file = onDisk(directory, name);
  mkdirSync(directoryOf(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, "latin1");
  chmodSync(file, 0o600);
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it is gone: there is nothing to copy
  }
}
