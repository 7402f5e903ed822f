import type { TranscriptTurn } from "../transcript/transcript.ts";

/** How long a turn took, and how much of that it waited for a person, which is not work. */
export function turnTimes({ items, startedAt, lastAt }: Pick<TranscriptTurn, "items" | "startedAt" | "lastAt">): {
  readonly workedMs: number;
  readonly waitedMs: number;
} {
  let waitedMs = 0;
  // Several may wait at once; items come in the order in which they began to.
  let seenTo = startedAt;
  for (const item of items) {
    if (item.kind !== "approval" && item.kind !== "question") continue;
    const end = item.answeredAt ?? lastAt;
    waitedMs += Math.max(0, end - Math.max(item.at, seenTo));
    seenTo = Math.max(seenTo, end);
  }
  return { workedMs: Math.max(0, lastAt - startedAt - waitedMs), waitedMs };
}
