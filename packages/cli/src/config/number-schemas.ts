import { LONGEST_TIMER_MS } from "@caret/protocol";
import type { PruneRule } from "@caret/runtime";
import { z } from "zod";
import type { Config } from "./config-schema.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Milliseconds for a timer: at least one, so no clock is ever off, and at most what a timer can wait. */
export function durationMs() {
  return z
    .number()
    .int()
    .min(1)
    .overwrite((milliseconds) => Math.min(milliseconds, LONGEST_TIMER_MS));
}

export function byteCount() {
  return z.number().int().min(1);
}

/** Each setting is an independent limit: a session is pruned when it is too old, or when too many are newer. */
export function retentionRules({ days, sessions }: Config["retention"]): readonly PruneRule[] {
  return [
    ...(days === undefined ? [] : [{ olderThanMs: days * DAY_MS, keep: 0 }]),
    ...(sessions === undefined ? [] : [{ olderThanMs: 0, keep: sessions }]),
  ];
}
