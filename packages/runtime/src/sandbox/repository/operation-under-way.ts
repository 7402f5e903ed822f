import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyTreeByTrueName } from "../true-name.ts";

/** What git keeps of an operation that is not finished, and what it is called. The list of a rebase names commands to run. */
const OPERATIONS = {
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  sequencer: "series of commits",
  BISECT_LOG: "bisect",
} as const;

/** What belongs to one and is nothing by itself. */
const BESIDE = [
  ...["MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE", "REBASE_HEAD", "ORIG_HEAD"],
  ...["BISECT_START", "BISECT_NAMES", "BISECT_TERMS", "BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK"],
  ...["refs/bisect", "refs/rewritten", "rr-cache"],
];
const ALL = [...Object.keys(OPERATIONS), ...BESIDE];

const MAX = { bytes: 64 * 1024 * 1024, files: 20_000 };

/** Which one is not finished in this directory of git: `rebase`, say. */
export function operationIn(directory: string): string | undefined {
  return Object.entries(OPERATIONS).find(([name]) => existsSync(join(directory, name)))?.[1];
}

/** The same as long as an operation has not gone on; undefined: there is none. */
export function operationMark(directory: string): string | undefined {
  const name = Object.keys(OPERATIONS).find((each) => existsSync(join(directory, each)));
  if (name === undefined) return undefined;
  const stat = lstatSync(join(directory, name), { bigint: true });
  return `${name} ${stat.dev}:${stat.ino} ${stat.ctimeNs}`;
}

/** Copies what there is of it. Only plain files: a link would be followed. */
export function copyOperation(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const left = { ...MAX };
  for (const name of ALL) if (existsSync(join(from, name))) copyTreeByTrueName(join(from, name), join(to, name), left);
}

export function removeOperation(directory: string): void {
  for (const name of ALL) if (name !== "ORIG_HEAD") rmSync(join(directory, name), { recursive: true, force: true });
}
