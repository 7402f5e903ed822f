import { identifyProcess, isAlive, readBootId } from "../process/process-identity.ts";

/** One process of one boot as a word: what a turn, and the list of those who have the log open, carry as their owner. */
export function identifyOwner(pid: number = process.pid): string {
  return [pid, identifyProcess(pid).startTime ?? "", readBootId() ?? ""].join(":");
}

/** Is the process that this word stands for still running? A word that is none of ours stands for nobody. */
export function isOwnerAlive(owner: string): boolean {
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
