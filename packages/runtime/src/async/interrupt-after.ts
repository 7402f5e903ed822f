import { createContext, Script } from "node:vm";
import { CaretError } from "@caret/protocol";

const guard = new Script("run()");
const world = createContext({});
/** A busy machine may starve one attempt of processor time, but hardly ten in a row. */
const ATTEMPTS = 10;
// Node 22 only has the whole process's usage, whose other threads make an attempt appear to have had its time.
const usage = process.threadCpuUsage ?? process.cpuUsage;

/**
 * Runs untrusted work, such as the pattern of a client's schema, for at most `timeout` milliseconds; this interrupts regular expressions
 * as well. An attempt that got less processor time than that is repeated from the beginning. Throws what `run` throws, and
 * ERR_SCRIPT_EXECUTION_TIMEOUT if interrupted.
 */
export function interruptAfter<Result>(timeout: number, run: () => Result): Result {
  for (let attempt = 1; ; attempt += 1) {
    const before = usage();
    try {
      return runFor(timeout, run);
    } catch (reason) {
      const { user, system } = usage(before);
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
