import type { FileDiff } from "../events/agent-event.ts";

/** A file change as signed lines. If only its two sides are known, all lines of both. */
export function changeText({ unified, before, after }: Omit<FileDiff, "path">): string {
  if (unified !== undefined) return unified.replace(/\n$/, "");
  return [...signed(before, "-"), ...signed(after, "+")].join("\n");
}

function signed(text: string | undefined, sign: string): readonly string[] {
  if (text === undefined || text === "") return [];
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => sign + line);
  return text.endsWith("\n") ? lines : [...lines, "\\ No newline at end of file"];
}
