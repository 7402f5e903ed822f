import { CaretError } from "@caret/protocol";
import { isAlive, readBootId } from "../process/process-identity.ts";
import type { LogWriter } from "./event-store.ts";

/** Owner of copied turns, which began elsewhere and count there. No process has this name. */
export const NOBODY = "";

/**
 * Whether the process that used this word as its owner name still runs. Older Carets used pid, start time and boot id, which only
 * processes in the same PID namespace can judge. A word we did not write stands for no process.
 */
export function isOldOwnerAlive(owner: string): boolean {
  const [, digits, startTime, bootId] = /^(\d+):(\d*):(.*)$/u.exec(owner) ?? [];
  if (digits === undefined || bootId !== (readBootId() ?? "")) return false;
  const pid = Number(digits);
  return startTime === "" ? isNumberTaken(pid) : isAlive({ pid, startTime });
}

/**
 * Without /proc, the pid is all we have. It may belong to an unrelated process by now, but ending the turn of a living process does more
 * harm than leaving the turn of a dead one open.
 */
function isNumberTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (reason) {
    return (reason as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Does one append of a writer, unless an earlier one was refused. Remembers a refusal. */
export function asWriter<Result>(writer: LogWriter | undefined, append: () => Result): Result {
  if (writer?.refused !== undefined) throw writer.refused;
  try {
    return append();
  } catch (reason) {
    noteRefusal(writer, reason);
    throw reason;
  }
}

export function noteRefusal(writer: LogWriter | undefined, reason: unknown): void {
  if (writer !== undefined) writer.refused ??= CaretError.from(reason);
}
