/** Timers hold 31 bits, in Node and in browsers: a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
