import type { ToolActivity } from "@caret/protocol";
import { isListing, pathOf } from "./tool-words.ts";
import type { ExploredRow, ItemOf, ItemRow } from "./transcript-rows.ts";

/** Fewer are shown as they are: a row that says "Explored 1 file" says less than the call. */
const MIN_FOLDED = 2;

/** Reads and searches that follow each other become one row, so that what the agent changed and said stands out. */
export function foldExplored(rows: readonly ItemRow[]): readonly (ItemRow | ExploredRow)[] {
  const folded: (ItemRow | ExploredRow)[] = [];
  let run: ItemRow[] = [];
  const close = (): void => {
    folded.push(...(run.length < MIN_FOLDED ? run : [toExplored(run)]));
    run = [];
  };
  for (const row of rows) {
    if (isExploring(row)) run.push(row);
    else {
      close();
      folded.push(row);
    }
  }
  close();
  return folded;
}

/** A call that a person is asked about stands on its own. */
function isExploring({ item }: ItemRow): boolean {
  return item.kind === "tool" && (item.tool.kind === "read" || item.tool.kind === "search") && item.isAsked !== true;
}

/** Its key is its first row's: the list keeps the place of a row that begins to fold. */
function toExplored(run: readonly ItemRow[]): ExploredRow {
  const [first] = run;
  const items = run.map(({ item }) => item as ItemOf<"tool">);
  return { kind: "explored", key: first?.key ?? "", items, isOver: first?.isOver ?? false };
}

/** `6 files, 2 searches, 1 directory`. A file that was read twice is one file. */
export function exploredWords(tools: readonly ToolActivity[]): string {
  const reads = tools.filter(({ kind }) => kind === "read");
  const listings = tools.filter((tool) => tool.kind === "search" && isListing(tool));
  const searches = tools.length - reads.length - listings.length;
  return [
    countWords(new Set(reads.map(pathOf)).size, "file", "files"),
    countWords(searches, "search", "searches"),
    countWords(new Set(listings.map(pathOf)).size, "directory", "directories"),
  ]
    .filter((words) => words !== "")
    .join(", ");
}

function countWords(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}
