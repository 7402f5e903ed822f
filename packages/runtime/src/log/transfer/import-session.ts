import { type AgentEventOf, CaretError, type LaneName, parseJson } from "@caret/protocol";
import type { z } from "zod";
import type { Redactor } from "../../redaction/redactor.ts";
import type { CommandOptions, EventEntry, EventStore, SessionChanges, SessionRecord } from "../event-store.ts";
import { interruptedEnd, noOpenParts, type OpenParts, trackOpenParts } from "../interrupted-end.ts";
import { stageSession } from "../stage-session.ts";
import { parseEvent } from "../stored-event.ts";
import {
  type EventLine,
  endSchema,
  eventLineSchema,
  headerSchema,
  type SessionHeader,
  splitLines,
  VERSION,
} from "./session-file.ts";

const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface ImportOptions extends CommandOptions {
  /** The id of the session to create. */
  readonly id: string;
  /** Owner after import, whatever the export said. Default: the gateway's own user. */
  readonly user?: string;
  readonly team?: string;
  readonly redactor: Redactor;
  /** Maps its former workspace to the one here. Default: the same path. */
  readonly workspace?: (theirs: string) => string | Promise<string>;
  readonly maxLineBytes?: number;
}

/**
 * Creates a session from an exported one, with the same events. All or nothing: it is hidden until it is complete. A turn that was still
 * running at export ends as interrupted.
 */
export async function importSession(
  store: EventStore,
  chunks: AsyncIterable<Uint8Array | string>,
  {
    id,
    user,
    team,
    redactor,
    workspace = (theirs) => theirs,
    maxLineBytes = MAX_LINE_BYTES,
    ...options
  }: ImportOptions,
): Promise<SessionRecord> {
  const lines = splitLines(chunks, { maxLineBytes });
  try {
    const first = await lines.next();
    const header = parseHeader(first.done ? "" : first.value);
    const session = redactor.redactValue(header.session);
    const owned = { ...(user === undefined ? {} : { user }), ...(team === undefined ? {} : { team }) };
    const seen: SeenEvents = { firstStart: undefined };
    const place = await workspace(session.workspace);
    const staged = {
      session: { ...session, ...owned, workspace: place, id, imported: true } as const,
      entries: endedEntries(eventLines(lines), redactor, seen),
      changes: () => laneChanges(session, seen),
    };
    return await stageSession(store, staged, options);
  } finally {
    await lines.return();
  }
}

/** What is noticed while reading. */
interface SeenEvents {
  firstStart: AgentEventOf<"turn-start"> | undefined;
}

/** Every event, plus an end for a turn without one. */
async function* endedEntries(
  lines: AsyncIterable<EventLine>,
  redactor: Redactor,
  seen: SeenEvents,
): AsyncGenerator<EventEntry, void, undefined> {
  let running: { readonly turnId: string; readonly open: OpenParts } | undefined;
  for await (const line of lines) {
    const entry = toEntry(line, redactor);
    const { event, turnId } = entry;
    if (line.seq === 1 && event.type === "turn-start") seen.firstStart = event;
    if (event.type === "turn-start") running = { turnId, open: noOpenParts() };
    if (running?.turnId === turnId) trackOpenParts(running.open, event);
    if (event.type === "turn-end" && running?.turnId === turnId) running = undefined;
    yield entry;
  }
  if (running === undefined) return;
  const { turnId, open } = running;
  yield* interruptedEnd(open).map((event) => ({ turnId, event }));
}

/** Takes the lane from the first turn if the header has none. */
function laneChanges(
  { lane, model }: { readonly lane?: LaneName; readonly model?: string },
  { firstStart }: SeenEvents,
): SessionChanges {
  if (firstStart === undefined || lane !== undefined) return {};
  const hasModel = model !== undefined || firstStart.model === undefined;
  return { lane: firstStart.lane, ...(hasModel ? {} : { model: firstStart.model }) };
}

/** The events in order. Throws `invalid-request` at the first line out of place, or if the end is missing. */
async function* eventLines(lines: AsyncIterable<string>): AsyncGenerator<EventLine, void, undefined> {
  let seq = 0;
  let ended = false;
  for await (const line of lines) {
    if (ended) throw invalid("there is something after the end");
    const end = endSchema.safeParse(parseJson(line));
    if (end.success) {
      if (end.data.events !== seq) throw invalid(`it has ${seq} events and should have ${end.data.events}`);
      ended = true;
      continue;
    }
    const event = parseLine(eventLineSchema, line, `event ${seq + 1}`);
    if (event.seq !== seq + 1) throw invalid(`event ${seq + 1} is missing`);
    seq = event.seq;
    yield event;
  }
  if (!ended) throw invalid(`it ends after event ${seq} without saying so`);
}

function toEntry({ turnId, at, event, raw, rawCut }: EventLine, redactor: Redactor): EventEntry {
  return {
    turnId,
    at,
    event: redactor.redactEvent(parseEvent(event)),
    ...(raw === undefined ? {} : { raw: redactor.redactText(raw) }),
    ...(rawCut === undefined ? {} : { rawCut }),
  };
}

function parseHeader(line: string): SessionHeader {
  const header = parseLine(headerSchema, line, "the header");
  if (header.version > VERSION)
    throw new CaretError("invalid-request", `This session file has version ${header.version}; Caret knows ${VERSION}`, {
      fix: "Update Caret.",
    });
  return header;
}

function parseLine<Output>(schema: z.ZodType<Output>, line: string, what: string): Output {
  // Text that is not JSON fails every schema.
  const parsed = schema.safeParse(parseJson(line));
  if (!parsed.success) throw invalid(`${what} cannot be read`, parsed.error);
  return parsed.data;
}

function invalid(what: string, cause?: unknown): CaretError {
  return new CaretError("invalid-request", `This is not a whole session file: ${what}`, {
    cause,
    fix: 'Choose a file that was exported as "Replayable NDJSON", with `caret sessions export` or on the page.',
  });
}
