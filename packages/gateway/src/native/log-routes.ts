import { Readable } from "node:stream";
import { CaretError, type Sessions } from "@caret/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readPart } from "../http/read-body.ts";
import { requestContextOf } from "../http/request-context.ts";
import type { Idempotency } from "./idempotency.ts";
import { callOf, command, type NativeCall, question } from "./native-command.ts";
import { exportQuery, imageParam, logQuery, seqParam } from "./queries.ts";

const config = { access: "sessions" } as const;
const NDJSON = "application/x-ndjson";
const STUCK_MS = 30_000;
const MAX_IMPORT_BYTES = 1024 * 1024 * 1024;

/** What a session's log holds, and whole sessions out and in. */
export function logRoutes(app: FastifyInstance, desk: Sessions, idempotency: Idempotency): void {
  app.get(
    "/api/sessions/:id/log",
    { config },
    question(({ request, params: { id }, caller }) => desk.readLog(id, readPart(logQuery, request.query, ""), caller)),
  );
  app.get(
    "/api/sessions/:id/raw/:seq",
    { config },
    question((call) => readRaw(desk, call)),
  );
  app.get("/api/sessions/:id/images/:name", { config }, (request, reply) => sendImage(desk, request, reply));
  app.get("/api/sessions/:id/export", { config }, (request, reply) => sendExport(desk, request, reply));
  // Read as it comes: an export may be larger than anyone would hold in memory.
  app.addContentTypeParser(NDJSON, async (_request: FastifyRequest, payload: unknown) => payload);
  app.post(
    "/api/sessions/import",
    { config: { ...config, mediaType: NDJSON } },
    command(
      idempotency,
      async ({ request, caller }) => ({
        status: 201,
        body: await desk.importSession(upTo(MAX_IMPORT_BYTES, request.body as AsyncIterable<Uint8Array>), caller),
      }),
      async ({ sessionId }, { caller }) => ({ status: 201, body: await desk.get(sessionId, caller) }),
    ),
  );
}

async function readRaw(desk: Sessions, { params, caller }: NativeCall): Promise<object> {
  const { seq } = readPart(seqParam, params, "");
  const { events } = await desk.readLog(params.id, { after: seq - 1, limit: 1, raw: true }, caller);
  const event = events.find((candidate) => candidate.seq === seq);
  if (event?.raw === undefined)
    throw new CaretError("not-found", `Event ${seq} has no line of the agent's`, {
      fix: "Look at the events beside it: a line that gave several stands beside the first.",
    });
  return event.rawCut === true ? { raw: event.raw, rawCut: true } : { raw: event.raw };
}

/** The type is the gateway's own finding, and nothing in it is run wherever it is opened. */
async function sendImage(desk: Sessions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { params, caller } = callOf(request);
  const { name } = readPart(imageParam, params, "");
  const { mediaType, bytes } = await desk.readImage(params.id, name, caller);
  return reply
    .type(mediaType)
    .header("content-security-policy", "sandbox; default-src 'none'")
    .header("cache-control", "private, no-store")
    .send(Buffer.from(bytes));
}

async function sendExport(desk: Sessions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { params, caller } = callOf(request);
  const { format } = readPart(exportQuery, request.query, "");
  const { fileName, mediaType, chunks } = await desk.exportSession(params.id, format, caller);
  const { signal, meter } = requestContextOf(request);
  // As for the other streams: a reader that takes nothing is cut, and so is one whose token was revoked.
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
    if (size > most) throw new CaretError("too-large", `An import has at most ${most} bytes`);
    yield chunk;
  }
}
