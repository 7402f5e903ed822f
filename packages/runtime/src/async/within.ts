import { LONGEST_TIMER_MS } from "@caret/protocol";

/** True when the promise settles within the time. The promise must not reject. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS), false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
