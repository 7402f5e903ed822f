import { emptyTranscript, foldTranscript } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../../engine/event-store.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { groupTurns } from "../../store/group-turns.ts";
import { readAll } from "../../store/read-all.ts";
import { type DocumentBlock, turnBlocks } from "./turn-blocks.ts";
import { withDiffs } from "./with-diffs.ts";

export interface SessionHead {
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
