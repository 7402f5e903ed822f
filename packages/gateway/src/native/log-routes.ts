import { Readable } from "node:stream";
import { CaretError, exportFormats, type ImportPlace, type LogQuery, type Sessions } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { readPart } from "../http/read-body.ts";
import { requestContextOf } from "../http/request-context.ts";
import { oneOf, queryNumber, queryNumberUpTo, rawFlag } from "./fields.ts";
import { callOf, type NativeApp, type NativeCall, read, write } from "./native-routes.ts";

const NDJSON = "application/x-ndjson";
const STUCK_MS = 30_000;
const MAX_IMPORT_BYTES = 1024 * 1024 * 1024;
const MAX_EVENTS = 10_000;
const DEFAULT_EVENTS = 500;

const logQuery = z
  .object({
    after: queryNumber.describe("Events after this seq").exactOptional(),
    before: queryNumber.describe("The newest events before this seq").exactOptional(),
    limit: queryNumberUpTo(MAX_EVENTS)
      .default(DEFAULT_EVENTS)
      .describe(`Page size, ${DEFAULT_EVENTS} by default, up to ${MAX_EVENTS}`),
    raw: rawFlag.exactOptional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    path: ["before"],
    error: "cannot be given together with `after`",
  }) satisfies z.ZodType<LogQuery>;

const exportQuery = z.object({ format: oneOf(exportFormats).default("ndjson") });
const importQuery = z.object({
  machine: z.string().describe("In a fleet: where the session is to be").exactOptional(),
}) satisfies z.ZodType<ImportPlace>;
const imageParam = z.object({ name: z.string() });
const seqParam = z.object({ seq: queryNumber });

/** A session's log: events, raw lines and images; export and import of whole sessions. */
export function logRoutes(native: NativeApp, sessions: Sessions): void {
  const { app } = native;
  read(
    native,
    "/api/sessions/:id/log",
    { summary: "Read a page of events, oldest first", query: logQuery },
    ({ params, query, caller }) => sessions.readLog(params.id, query, caller),
  );
  read(native, "/api/sessions/:id/raw/:seq", { summary: "Read the agent's own line behind an event" }, (call) =>
    readRaw(sessions, call),
  );
  app.get(
    "/api/sessions/:id/images/:name",
    { config: { access: "sessions", doc: { summary: "Read an image that came with a prompt" } } },
    (request, reply) => sendImage(sessions, request, reply),
  );
  app.get(
    "/api/sessions/:id/export",
    { config: { access: "sessions", doc: { summary: "Download the whole session as a file", query: exportQuery } } },
    (request, reply) => sendExport(sessions, request, reply),
  );
  // Streamed, not buffered: an export can be larger than memory.
  app.addContentTypeParser(NDJSON, async (_request: FastifyRequest, payload: unknown) => payload);
  write(
    native,
    ["POST", "/api/sessions/import"],
    { summary: "Create a session from an export", mediaType: NDJSON, query: importQuery, status: 201 },
    ({ body, query, caller }) =>
      sessions.importSession(upTo(MAX_IMPORT_BYTES, body as AsyncIterable<Uint8Array>), caller, query),
    ({ sessionId }, { caller }) => sessions.get(sessionId, caller),
  );
}

async function readRaw(sessions: Sessions, { params, caller }: NativeCall): Promise<object> {
  const { seq } = readPart(seqParam, params, "");
  const { events } = await sessions.readLog(params.id, { after: seq - 1, limit: 1, raw: true }, caller);
  const event = events.find((candidate) => candidate.seq === seq);
  if (event?.raw === undefined)
    throw new CaretError("not-found", `Event ${seq} has no raw line`, {
      fix: "Look at the events before it: when one line gave several events, only the first has it.",
    });
  return event.rawCut === true ? { raw: event.raw, rawCut: true } : { raw: event.raw };
}

/** The gateway detected the media type itself; the CSP sandbox keeps the content from running scripts. */
async function sendImage(sessions: Sessions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { params, caller } = callOf(request);
  const { name } = readPart(imageParam, params, "");
  const { mediaType, bytes } = await sessions.readImage(params.id, name, caller);
  return reply
    .type(mediaType)
    .header("content-security-policy", "sandbox; default-src 'none'")
    .header("cache-control", "private, no-store")
    .send(Buffer.from(bytes));
}

async function sendExport(sessions: Sessions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { params, caller } = callOf(request);
  const { format } = readPart(exportQuery, request.query, "");
  const { fileName, mediaType, chunks } = await sessions.exportSession(params.id, format, caller);
  const { signal, meter } = requestContextOf(request);
  // As for SSE: a client that stops reading is disconnected, and so is one whose token was revoked.
  reply.raw.setTimeout(meter?.stuckMs ?? STUCK_MS, () => reply.raw.destroy());
  return reply
    .type(mediaType)
    .header("content-disposition", `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, "_")}"`)
    .header("content-security-policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    .send(Readable.from(chunks, { signal }));
}

async function* upTo(most: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > most) throw new CaretError("too-large", `An import may have at most ${most} bytes`);
    yield chunk;
  }
}
