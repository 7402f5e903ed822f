import { CaretError } from "@caret/protocol";
import type { Redactor } from "../../redaction/redactor.ts";
import type { EventStore, SessionRecord, StoredEvent } from "../event-store.ts";
import { readAll } from "../read-turns.ts";
import { type EndLine, type EventLine, FORMAT, type SessionHeader, VERSION } from "./session-file.ts";

/**
 * A session as the lines of a file, each with its newline. Redacted again on export, because a secret may have become known after the
 * event was stored. Rejects with `session-not-found`.
 */
export async function* exportSession(
  store: EventStore,
  sessionId: string,
  { redactor }: { readonly redactor: Redactor },
): AsyncGenerator<string, void, undefined> {
  const session = await store.getSession(sessionId);
  if (session === undefined) throw new CaretError("session-not-found", `There is no session ${sessionId}`);
  yield toLine(redactor.redactValue(toHeader(session)));
  let events = 0;
  for await (const stored of readAll(store, sessionId)) {
    events += 1;
    yield toLine(toEventLine(stored, redactor));
  }
  yield toLine({ end: true, events } satisfies EndLine);
}

function toHeader({ workspace, title, lane, model, createdAt }: SessionRecord): SessionHeader {
  return {
    format: FORMAT,
    version: VERSION,
    session: {
      workspace,
      ...(title === undefined ? {} : { title }),
      ...(lane === undefined ? {} : { lane }),
      ...(model === undefined ? {} : { model }),
      createdAt,
    },
  };
}

function toEventLine({ seq, turnId, at, event, raw, rawCut }: StoredEvent, redactor: Redactor): EventLine {
  return {
    seq,
    turnId,
    at,
    event: redactor.redactEvent(event),
    ...(raw === undefined ? {} : { raw: redactor.redactText(raw) }),
    ...(rawCut === undefined ? {} : { rawCut }),
  };
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
