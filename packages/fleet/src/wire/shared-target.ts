/** No machine and no process has a name that begins with it. */
const MARK = "@";

/**
 * The target of a command that any worker of a machine may take: a worker that has just died takes none, while one that is named may
 * have died without its lease having run out.
 */
export function sharedTarget(machine: string): string {
  return MARK + machine;
}

/** The machine of such a target; undefined for the name of one process. */
export function sharedMachine(target: string): string | undefined {
  return target.startsWith(MARK) ? target.slice(MARK.length) : undefined;
}
