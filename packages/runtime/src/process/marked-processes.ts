import { readdirSync } from "node:fs";
import { signalProcess } from "./process-group.ts";
import { isAlive, type ProcessIdentity, readProcessStat, readProcFile } from "./process-identity.ts";

/**
 * Every child carries this variable with an id of its own, and hands it down to its descendants. A process that left
 * the group (setsid, a daemon) is found by it.
 */
export const PROCESS_MARK = "CARET_PROCESS_ID";

const ROUNDS = 5;

/** Kills every process that carries one of the marks, and those they start meanwhile. Returns how many were found. */
export function killMarked(marks: ReadonlySet<string>): number {
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // A killed process stays visible for a moment; only one that is new calls for another look.
    const found = findMarked(marks).filter(({ pid }) => !killed.has(pid));
    for (const identity of found) {
      signalProcess(identity, "SIGKILL");
      killed.add(identity.pid);
    }
    if (found.length === 0) break;
  }
  return killed.size;
}

/** The living processes that carry one of the marks. Empty where there is no /proc. */
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
