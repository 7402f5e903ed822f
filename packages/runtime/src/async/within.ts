/** The longest wait a Node timer can hold; a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
