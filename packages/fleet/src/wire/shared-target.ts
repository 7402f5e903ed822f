/** Prefix that no machine's or process's name begins with. */
const MARK = "@";

/**
 * Target of a command for any worker of a machine. A dead worker takes nothing, while one addressed by name may have died with its lease
 * still valid.
 */
export function sharedTarget(machine: string): string {
  return MARK + machine;
}

/** The machine of such a target. Undefined for the name of a process. */
export function sharedMachine(target: string): string | undefined {
  return target.startsWith(MARK) ? target.slice(MARK.length) : undefined;
}
