import type { SessionView } from "@caret/protocol";

/** No list says more exactly how long ago something was. */
const SOON_MS = 10_000;

/** Whether a line about the session would be the same: one that is at work is told of several times a second. */
export function looksSame(before: SessionView, after: SessionView): boolean {
  if (before === after) return true;
  return Math.abs(after.updatedAt - before.updatedAt) < SOON_MS && wordsOf(before) === wordsOf(after);
}

function wordsOf({ updatedAt: _, lastSeq: __, ...rest }: SessionView): string {
  return JSON.stringify(rest);
}
