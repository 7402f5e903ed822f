import { createContext, Script } from "node:vm";
import { CaretError } from "@caret/protocol";

const guard = new Script("run()");
const world = createContext({});
/** A machine that is busy elsewhere may have taken the time of one attempt. */
const ATTEMPTS = 2;

/**
 * Runs what belongs to others, such as the pattern of a client's schema, for so many milliseconds at most: a regular expression is
 * interrupted, too. When the process had less than that, it is run once more from its beginning. Throws what it throws, and
 * when it is interrupted.
 */
export function interruptAfter<Result>(timeout: number, run: () => Result): Result {
  const before = process.cpuUsage();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return runFor(timeout, run);
    } catch (reason) {
      const { user, system } = process.cpuUsage(before);
      const hadItsTime = (user + system) / 1_000 >= timeout * 0.8;
      if (!isInterruption(reason) || hadItsTime || attempt === ATTEMPTS) throw reason;
    }
  }
}

function runFor<Result>(timeout: number, run: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  world["run"] = () => {
    result = { value: run() };
  };
  guard.runInContext(world, { timeout });
  if (result === undefined) throw new CaretError("internal", "A check ended without a result");
  return result.value;
}

function isInterruption(reason: unknown): boolean {
  return (reason as NodeJS.ErrnoException | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
