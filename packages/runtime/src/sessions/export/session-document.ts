import { emptyTranscript, foldTranscript, type TranscriptItem, type TranscriptTurn } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../../log/event-store.ts";
import { groupTurns, readAll } from "../../log/read-turns.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { changeDiff } from "../../tools/files/change-diff.ts";
import { type DocumentBlock, turnBlocks } from "./turn-blocks.ts";

interface SessionHead {
  readonly title: string;
  readonly facts: readonly string[];
}

/** A way to write a session down for people. All of what it is given may be hostile text. */
export interface DocumentFormat {
  head(head: SessionHead): string;
  block(block: DocumentBlock): string;
  end(): string;
}

/** A session as a document, a turn at a time. Redacted once more, because a secret may have become known since. */
export async function* sessionDocument(
  store: EventStore,
  session: SessionRecord,
  { format, redactor }: { readonly format: DocumentFormat; readonly redactor: Redactor },
): AsyncGenerator<string, void, undefined> {
  yield format.head(redactor.redactValue(headOf(session)));
  for await (const turn of groupTurns(readAll(store, session.id, 0, { raw: false }))) {
    const redacted = turn.map((stored) => ({ ...stored, event: redactor.redactEvent(stored.event) }));
    for (const folded of foldTranscript(emptyTranscript, redacted).turns)
      yield turnBlocks(await withDiffs(folded))
        .map((block) => format.block(block))
        .join("");
  }
  yield format.end();
}

function headOf({ id, title, workspace, lane, model, createdAt }: SessionRecord): SessionHead {
  const facts = [
    new Date(createdAt).toISOString(),
    workspace,
    ...(model === undefined ? [] : [model]),
    ...(lane === "sim" ? ["simulated: Cursor was not asked"] : []),
    `session ${id}`,
  ];
  return { title: title ?? "Untitled", facts };
}

/** The turn with every change of a file as a unified diff: the log may hold the file before and after instead. */
async function withDiffs(turn: TranscriptTurn): Promise<TranscriptTurn> {
  return { ...turn, items: await Promise.all(turn.items.map(withDiff)) };
}

async function withDiff(item: TranscriptItem): Promise<TranscriptItem> {
  if (item.kind !== "tool" || item.tool.diff === undefined) return item;
  const { path, before, after, unified } = item.tool.diff;
  if (unified !== undefined || after === undefined) return item;
  const { diff } = await changeDiff(path, before ?? "", after);
  return { ...item, tool: { ...item.tool, diff } };
}
