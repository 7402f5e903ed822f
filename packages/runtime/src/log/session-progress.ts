import { type AgentEvent, CaretError } from "@caret/protocol";
import type { LastTurn, SessionRecord, StoredEvent } from "./event-store.ts";
import { firstLine } from "./first-line.ts";

const MAX_LENGTH = 200;

export const noLine: LastLine = { text: "", state: "closed" };

/** A session's position in the list, which is ordered by last update and then by id. */
interface SessionCursor {
  readonly updatedAt: number;
  readonly id: string;
}

export function toCursorText({ updatedAt, id }: SessionRecord): string {
  return `${updatedAt}:${id}`;
}

export function fromCursorText(text: string): SessionCursor {
  const [, updatedAt, id] = /^(\d{1,15}):(.+)$/su.exec(text) ?? [];
  if (updatedAt === undefined || id === undefined)
    throw new CaretError("invalid-request", "This is not a place in the list of sessions");
  return { updatedAt: Number(updatedAt), id };
}

/** What an append changes about a session: stored with it, so lists need not read the log. */
export interface SessionProgress {
  readonly lastSeq: number;
  readonly line: LastLine;
  readonly lastTurn: LastTurn | undefined;
}

/** Throws if an append does not fit the session's position. */
export function assertPosition(
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

/** The first appended entry: a turn starts with its `turn-start` and accepts nothing after its `turn-end`. */
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

/** The progress fields of a session's record. */
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

/**
 * The first line of the latest words, while it may still grow.
 *
 * - `closed`: complete. Entered by a prompt, by the end of the line and by the maximum length.
 * - `awaited`: a text block has begun but said nothing yet, so the previous line is still shown.
 * - `growing`: the block's next words belong to it.
 */
interface LastLine {
  readonly text: string;
  readonly state: "closed" | "awaited" | "growing";
}

export function foldLastLine(line: LastLine, event: AgentEvent): LastLine {
  if (event.type === "turn-start") {
    const asked = event.prompt?.trim() ?? "";
    return asked === "" ? line : { ...grow("", asked), state: "closed" };
  }
  if (event.type === "plan") return { ...grow("", event.text.trim()), state: "closed" };
  // In a list, the reason of a failure is more useful than the last words.
  if (event.type === "turn-end" && event.outcome.kind === "failed")
    return { ...grow("", event.outcome.error.message.trim()), state: "closed" };
  if (event.type === "text-start") return { text: line.text, state: "awaited" };
  if (event.type !== "text-delta" || line.state === "closed") return line;
  if (line.state === "growing") return grow(line.text, event.text);
  const said = event.text.trimStart();
  return said === "" ? line : grow("", said);
}

function grow(text: string, more: string): LastLine {
  const said = firstLine(more.slice(0, MAX_LENGTH));
  const whole = text + said;
  const isOver = said.length < more.length || whole.length >= MAX_LENGTH;
  return { text: isOver ? cut(whole) : whole, state: isOver ? "closed" : "growing" };
}

/** Never cuts a surrogate pair. */
function cut(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd();
}
