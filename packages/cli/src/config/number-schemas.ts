import { z } from "zod";

/** Node's timers hold 31 bits: a longer wait would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds for a timer: at least one, so that no clock is ever off, and clamped to what a timer can wait. */
export function durationMs() {
  return z
    .number()
    .int()
    .min(1)
    .overwrite((milliseconds) => Math.min(milliseconds, MAX_TIMER_MS));
}

export function byteCount() {
  return z.number().int().min(1);
}
