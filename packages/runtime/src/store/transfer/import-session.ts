import { CaretError } from "@caret/protocol";
import type { z } from "zod";
import type { EventEntry, EventStore, SessionRecord } from "../../engine/event-store.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { interruptTurn } from "../interrupt-running-turns.ts";
import { parseEvent } from "../parse-event.ts";
import {
  type EventLine,
  endSchema,
  eventLineSchema,
  headerSchema,
  type SessionHeader,
  VERSION,
} from "./session-file.ts";
import { splitLines } from "./split-lines.ts";

const BATCH = 200;
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface ImportOptions {
  /** The id of the session to create. */
  readonly id: string;
  readonly redactor: Redactor;
  /** Where it is to work here, by where it worked there; without it at the same place. */
  readonly workspace?: (theirs: string) => string;
  readonly maxLineBytes?: number;
}

/**
 * Create a session from an exported one, with the same events. All of it or none: when the file is not whole the new
 * session is deleted again. A turn that was still running when it was exported ends as interrupted.
 */
export async function importSession(
  store: EventStore,
  chunks: AsyncIterable<Uint8Array | string>,
  { id, redactor, workspace = (theirs) => theirs, maxLineBytes = MAX_LINE_BYTES }: ImportOptions,
): Promise<SessionRecord> {
  const lines = splitLines(chunks, { maxLineBytes });
  try {
    const first = await lines.next();
    const header = parseHeader(first.done ? "" : first.value);
    const session = redactor.redactValue(header.session);
    await store.createSession({ ...session, workspace: workspace(session.workspace), id, imported: true });
    return await fillSession(store, lines, { id, redactor });
  } finally {
    await lines.return();
  }
}

async function fillSession(
  store: EventStore,
  lines: AsyncIterable<string>,
  { id, redactor }: Pick<ImportOptions, "id" | "redactor">,
): Promise<SessionRecord> {
  try {
    await appendAll(store, id, eventLines(lines), redactor);
    for (const turn of await store.runningTurns({ sessionId: id })) await interruptTurn(store, turn);
    await noteLane(store, id);
    return await findImported(store, id);
  } catch (reason) {
    await store.deleteSession(id);
    throw reason;
  }
}

/** Which lane it ran on is told by its first turn, where the header does not say. */
async function noteLane(store: EventStore, id: string): Promise<void> {
  const [first] = await store.read(id, { limit: 1 });
  const session = await store.getSession(id);
  if (first?.event.type !== "turn-start" || session === undefined || session.lane !== undefined) return;
  const { lane, model } = first.event;
  await store.updateSession(id, { lane, ...(session.model === undefined && model !== undefined ? { model } : {}) });
}

async function appendAll(
  store: EventStore,
  id: string,
  lines: AsyncIterable<EventLine>,
  redactor: Redactor,
): Promise<void> {
  let written = 0;
  let batch: EventEntry[] = [];
  const flush = async (): Promise<void> => {
    await store.append(id, written, batch, { copied: true });
    written += batch.length;
    batch = [];
  };
  for await (const line of lines) {
    batch.push(toEntry(line, redactor));
    if (batch.length === BATCH) await flush();
  }
  await flush();
}

/** The events in order. Throws `invalid-request` at the first line that does not belong, or when the end is missing. */
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
  const parsed = schema.safeParse(parseJson(line));
  if (!parsed.success) throw invalid(`${what} cannot be read`, parsed.error);
  return parsed.data;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Fails every schema, and the schema's error says which line it was.
    return undefined;
  }
}

function invalid(what: string, cause?: unknown): CaretError {
  return new CaretError("invalid-request", `This is not a whole session file: ${what}`, { cause });
}

async function findImported(store: EventStore, id: string): Promise<SessionRecord> {
  const session = await store.getSession(id);
  if (session === undefined)
    throw new CaretError("session-not-found", `Session ${id} was deleted while it was imported`);
  return session;
}
