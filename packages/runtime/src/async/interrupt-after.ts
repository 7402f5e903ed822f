import { createContext, Script } from "node:vm";
import { CaretError } from "@caret/protocol";

const guard = new Script("run()");
const world = createContext({});

/**
 * Runs what belongs to others, such as the pattern of a client's schema, for so many milliseconds at most: a regular expression is
 * interrupted, too. Throws what it throws, and when it is interrupted.
 */
export function interruptAfter<Result>(timeout: number, run: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  world["run"] = () => {
    result = { value: run() };
  };
  guard.runInContext(world, { timeout });
  if (result === undefined) throw new CaretError("internal", "A check ended without a result");
  return result.value;
}
