import type { PruneRule } from "@caret/runtime";
import type { Config } from "./config-schema.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Each setting is a limit of its own: a session goes when it is too old, and when there are too many newer ones. */
export function retentionRules({ days, sessions }: Config["retention"]): readonly PruneRule[] {
  return [
    ...(days === undefined ? [] : [{ olderThanMs: days * DAY_MS, keep: 0 }]),
    ...(sessions === undefined ? [] : [{ olderThanMs: 0, keep: sessions }]),
  ];
}
