import { LONGEST_TIMER_MS } from "@caret/protocol";

/** True if the promise settles in time. The promise must not reject. */
export function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS), false);
    promise.then(
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      (reason: unknown) => {
        clearTimeout(timer);
        reject(reason);
      },
    );
  });
}
