import { CaretError, type EventEnvelope, type SessionDesk } from "@caret/protocol";
import type { FastifyInstance } from "fastify";
import { readPart } from "../openai/read-body.ts";
import { followOverSse } from "./follow-over-sse.ts";
import { callOf } from "./native-command.ts";
import { followQuery } from "./queries.ts";

const config = { access: "sessions" } as const;

export interface EventRoutesOptions {
  readonly desk: SessionDesk;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
}

/** Events as they are committed, over SSE: of one session, and of the list of all. */
export function eventRoutes(app: FastifyInstance, { desk, ...stream }: EventRoutesOptions): void {
  app.get("/api/sessions/stream", { config }, async (request, reply) => {
    const { caller } = callOf(request);
    const follow = (signal: AbortSignal) => toText(desk.followNews(signal, caller), toData);
    await followOverSse({ ...stream, request, reply, follow });
  });
  app.get("/api/sessions/:id/events", { config }, async (request, reply) => {
    const { caller, params } = callOf(request);
    const { "last-event-id": last } = request.headers;
    const query = { ...(request.query as object), ...(last === undefined ? {} : { "last-event-id": last }) };
    const { after: asked, "last-event-id": seen = asked, raw = false } = readPart(followQuery, query, "");
    assertReached(seen, await desk.get(params.id, caller));
    const follow = (signal: AbortSignal) =>
      toText(desk.followLog(params.id, { after: seen, raw, signal }, caller), toEvent);
    await followOverSse({ ...stream, request, reply, follow });
  });
}

/** Whoever has seen more than there is has seen another log: waiting for it to come that far would skip events. */
export function assertReached(after: number, { lastSeq }: { readonly lastSeq: number }): void {
  if (after <= lastSeq) return;
  throw new CaretError("invalid-request", `after: the log of this session ends at ${lastSeq}`, {
    fix: "Forget what you have of this session and read it from its beginning.",
  });
}

async function* toText<Item>(
  batches: AsyncIterable<readonly Item[]>,
  write: (item: Item) => string,
): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(write).join("");
}

function toData(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function toEvent(envelope: EventEnvelope): string {
  return `id: ${envelope.seq}\n${toData(envelope)}`;
}
