import { CaretError } from "@caret/protocol";
import type { LastTurn, SessionRecord, StoredEvent } from "../engine/event-store.ts";
import { foldLastLine, type LastLine } from "./last-line.ts";

/** What an append changes about a session: kept beside it, so that a list needs no log. */
export interface SessionProgress {
  readonly lastSeq: number;
  readonly line: LastLine;
  readonly lastTurn: LastTurn | undefined;
}

/** Throws when an append does not belong where the session stands. */
export function assertPlace(
  sessionId: string,
  { lastSeq, lastTurn }: SessionProgress,
  { expectedSeq, first }: { readonly expectedSeq: number; readonly first: FirstEntry | undefined },
): void {
  if (lastSeq !== expectedSeq)
    throw new CaretError("session-busy", `Expected ${sessionId} at ${expectedSeq}, found it at ${lastSeq}`);
  if (first === undefined || lastTurn === undefined || first.event.type === "turn-start") return;
  if (first.turnId === lastTurn.turnId && lastTurn.outcome === undefined) return;
  throw new CaretError("session-busy", `The turn ${first.turnId} of the session ${sessionId} has been ended by others`);
}

/** The first of what is appended: a turn is begun by its `turn-start`, and takes nothing after its `turn-end`. */
type FirstEntry = Pick<StoredEvent, "turnId" | "event">;

export function advanceProgress(progress: SessionProgress, appended: readonly StoredEvent[]): SessionProgress {
  let { line, lastTurn, lastSeq } = progress;
  for (const stored of appended) {
    line = foldLastLine(line, stored.event);
    lastTurn = foldLastTurn(lastTurn, stored);
    lastSeq = stored.seq;
  }
  return { lastSeq, line, lastTurn };
}

function foldLastTurn(last: LastTurn | undefined, { turnId, at, event }: StoredEvent): LastTurn | undefined {
  if (event.type === "turn-start") return { turnId, at };
  if (event.type === "turn-end") return { turnId, at, outcome: event.outcome.kind };
  return last;
}

/** The part of a session's record that tells its progress. */
export function progressFields({
  lastSeq,
  line,
  lastTurn,
}: SessionProgress): Pick<SessionRecord, "lastSeq" | "lastLine" | "lastTurn"> {
  return {
    lastSeq,
    ...(line.text === "" ? {} : { lastLine: line.text }),
    ...(lastTurn === undefined ? {} : { lastTurn }),
  };
}
