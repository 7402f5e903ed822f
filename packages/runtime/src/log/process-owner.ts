import { CaretError } from "@caret/protocol";
import { isAlive, readBootId } from "../process/process-identity.ts";
import type { LogWriter } from "./event-store.ts";

/** Owns the turns that were copied: they began elsewhere, and count as begun there. No process has this name. */
export const NOBODY = "";

/**
 * Is the process still running that wrote this word as its name? Older Carets named themselves by number, start time and
 * boot, which only processes in one PID namespace can judge. A word that is none of ours stands for nobody.
 */
export function isOldOwnerAlive(owner: string): boolean {
  const [, digits, startTime, bootId] = /^(\d+):(\d*):(.*)$/u.exec(owner) ?? [];
  if (digits === undefined || bootId !== (readBootId() ?? "")) return false;
  const pid = Number(digits);
  return startTime === "" ? isNumberTaken(pid) : isAlive({ pid, startTime });
}

/**
 * Where there is no /proc the number is all there is. It may belong to a stranger by now, but ending the turn of a living
 * process does more harm than leaving the turn of a dead one open.
 */
function isNumberTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (reason) {
    return (reason as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Do one append of a writer, unless one of its earlier ones was refused. Remembers when this one is. */
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
