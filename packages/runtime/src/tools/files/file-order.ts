import type { Stats } from "node:fs";
import type { FileOrder } from "../../calls/tool-data.ts";

export type FileTime = Exclude<FileOrder["by"], "path">;
export type FileTimes = Readonly<Record<FileTime, number>>;

export function timesOf({ mtimeMs, atimeMs, birthtimeMs }: Stats): FileTimes {
  return { modified: mtimeMs, accessed: atimeMs, created: birthtimeMs };
}

/** Sorts as requested. The input is sorted by path, which also breaks ties between equal times. */
export function inOrder<File>(
  found: readonly File[],
  { by, isDescending }: FileOrder = { by: "path", isDescending: false },
  timeOf: (file: File, which: FileTime) => number,
): readonly File[] {
  const ascending = by === "path" ? found : found.toSorted((one, other) => timeOf(one, by) - timeOf(other, by));
  return isDescending ? ascending.toReversed() : ascending;
}
