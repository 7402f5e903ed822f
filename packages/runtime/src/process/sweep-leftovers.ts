import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { signalGroup, signalProcess } from "./process-group.ts";
import {
  isAlive,
  type ProcessIdentity,
  readBootId,
  readPidNamespace,
  readProcessStat,
  readProcFile,
} from "./process-identity.ts";
import { isRegistryEntry, type RegistryEntry } from "./process-registry.ts";

/**
 * Every child carries this variable with a unique id, inherited by its descendants. It identifies a process that left the group (setsid, a
 * daemon).
 */
export const PROCESS_MARK = "CARET_PROCESS_ID";

const ROUNDS = 5;
/** An unreadable entry younger than this may just be being written by another Caret. */
const WRITING_MS = 10_000;

interface Sweep {
  /** Entries of an earlier Caret, now removed. */
  readonly entries: number;
  /** Groups and stray processes that it left running, now killed. */
  readonly killed: number;
}

/**
 * Kills what an earlier Caret left behind, at start-up. Only exact matches of pid, start time and boot, and only processes that carry an
 * entry's mark: never an unrelated process, and never the children of a Caret that still lives. What was started in another PID namespace
 * cannot be judged from here and dies with it: its entries stay until the next boot.
 */
export function sweepLeftovers(directory: string): Sweep {
  const left = listEntries(directory).filter(({ path, entry }) => !isLookedAfter(path, entry));
  const bootId = readBootId();
  const ours = left.flatMap(({ entry }) => (entry !== undefined && entry.bootId === bootId ? [entry] : []));
  const killed = ours.filter(({ process }) => isAlive(process) && signalGroup(process, "SIGKILL"));
  for (const { path } of left) rmSync(path, { force: true });
  return { entries: left.length, killed: killed.length + killMarked(new Set(ours.map(({ mark }) => mark))) };
}

/** Being written, or handled by a live Caret, or by one in a PID namespace that we cannot see into. */
function isLookedAfter(path: string, entry: RegistryEntry | undefined): boolean {
  if (entry === undefined) return isYoung(path);
  if (entry.bootId !== readBootId()) return false;
  const isElsewhere = entry.pidNamespace !== undefined && entry.pidNamespace !== readPidNamespace();
  return isElsewhere || isAlive(entry.keeper);
}

function isYoung(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
  return Date.now() - mtimeMs < WRITING_MS;
}

function listEntries(directory: string): readonly { path: string; entry: RegistryEntry | undefined }[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(directory, name))
      .map((path) => ({ path, entry: readEntry(path) }));
  } catch {
    return []; // no directory yet: nothing was ever started
  }
}

function readEntry(path: string): RegistryEntry | undefined {
  try {
    const entry: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isRegistryEntry(entry) ? entry : undefined;
  } catch {
    return undefined; // half-written when Caret died, or not ours
  }
}

/** Kills every process that carries one of the marks, including those started during the search. Returns how many were found. */
export function killMarked(marks: ReadonlySet<string>): number {
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // A killed process stays visible for a moment; only new ones require another round.
    const found = findMarked(marks).filter(({ pid }) => !killed.has(pid));
    for (const identity of found) {
      signalProcess(identity, "SIGKILL");
      killed.add(identity.pid);
    }
    if (found.length === 0) break;
  }
  return killed.size;
}

/** The living processes that carry one of the marks. Empty without /proc. */
function findMarked(marks: ReadonlySet<string>): ProcessIdentity[] {
  if (marks.size === 0) return [];
  return listPids().flatMap((pid) => {
    const startTime = readProcessStat(pid)?.startTime;
    const mark = readMark(pid);
    if (mark === undefined || !marks.has(mark)) return [];
    const identity = { pid, startTime };
    return isAlive(identity) ? [identity] : [];
  });
}

function readMark(pid: number): string | undefined {
  const entry = readProcFile(`/proc/${pid}/environ`)
    ?.split("\0")
    .find((line) => line.startsWith(`${PROCESS_MARK}=`));
  return entry?.slice(PROCESS_MARK.length + 1);
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // not Linux: only the group is known
  }
}
