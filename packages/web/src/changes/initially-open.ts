import type { ChangedFile } from "@caret/protocol";

/** As much as one may want to read at once: more lines than these are opened by the reader. */
const LINES_AT_ONCE = 400;

/** The first files whose diffs together are short enough to be read at once, and always the first that has one. */
export function initiallyOpen(files: readonly ChangedFile[]): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 0;
  for (const { path, unified, status } of files) {
    if (unified === undefined || status === "deleted") continue;
    lines += countLines(unified);
    if (lines > LINES_AT_ONCE && open.size > 0) break;
    open.add(path);
  }
  return open;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
