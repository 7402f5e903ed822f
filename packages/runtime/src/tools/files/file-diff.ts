import type { FileDiff } from "@caret/protocol";

/** A diff is stored and shown; what is larger than this is only named. */
const MAX_SHOWN_LENGTH = 256 * 1024;

export function toFileDiff(path: string, before: string | undefined, after: string): FileDiff {
  if ((before?.length ?? 0) > MAX_SHOWN_LENGTH || after.length > MAX_SHOWN_LENGTH) return { path };
  return before === undefined ? { path, after } : { path, before, after };
}
