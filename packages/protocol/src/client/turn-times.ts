import type { TranscriptTurn } from "../transcript/transcript.ts";

/** How long a turn worked, and how long it waited for a person, which is not work. */
export function turnTimes({ items, startedAt, lastAt }: Pick<TranscriptTurn, "items" | "startedAt" | "lastAt">): {
  readonly workedMs: number;
  readonly waitedMs: number;
} {
  let waitedMs = 0;
  // Waits can overlap; items are ordered by when they began to wait.
  let seenTo = startedAt;
  for (const item of items) {
    if (item.kind !== "approval" && item.kind !== "question") continue;
    const end = item.answeredAt ?? lastAt;
    waitedMs += Math.max(0, end - Math.max(item.at, seenTo));
    seenTo = Math.max(seenTo, end);
  }
  return { workedMs: Math.max(0, lastAt - startedAt - waitedMs), waitedMs };
}
