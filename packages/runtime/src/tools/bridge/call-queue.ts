import type { AnswerCall } from "./bridge-messages.ts";

/** Lets a client that takes one call at a time have one at a time, in the order in which the agent made them. */
export interface CallQueue {
  readonly call: AnswerCall;
  /** True: calls go on side by side, those that were held back included. */
  setParallel(isParallel: boolean): void;
}

export function createCallQueue(answer: AnswerCall): CallQueue {
  let isParallel = true;
  let running = 0;
  let change = Promise.withResolvers<void>();
  const tellChange = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  return {
    async call(call, signal) {
      // Who has waited longest is told of a change first.
      while (!isParallel && running > 0) await change.promise;
      running += 1;
      try {
        return await answer(call, signal);
      } finally {
        running -= 1;
        tellChange();
      }
    },
    setParallel(value) {
      isParallel = value;
      tellChange();
    },
  };
}
