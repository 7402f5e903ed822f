import type { TranscriptItem, TranscriptTurn } from "@caret/protocol";
import { changeDiff } from "../../tools/files/change-diff.ts";

/** The turn with every change of a file as a unified diff: the log may hold the file before and after instead. */
export async function withDiffs(turn: TranscriptTurn): Promise<TranscriptTurn> {
  return { ...turn, items: await Promise.all(turn.items.map(withDiff)) };
}

async function withDiff(item: TranscriptItem): Promise<TranscriptItem> {
  if (item.kind !== "tool" || item.tool.diff === undefined) return item;
  const { path, before, after, unified } = item.tool.diff;
  if (unified !== undefined || after === undefined) return item;
  const { diff } = await changeDiff(path, before ?? "", after);
  return { ...item, tool: { ...item.tool, diff } };
}
