import { CaretError } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestContextOf } from "../http/request-context.ts";
import { openSse, type SseWriter } from "../http/sse-writer.ts";
import { toNativeError } from "./errors.ts";

export interface FollowOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Gives the batches, each as whole SSE events, until the signal. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<string>;
  /** Fires when the server closes: a follower can come back, so it is not waited for. */
  readonly closing: AbortSignal;
  readonly keepAliveMs: number;
}

/**
 * Write batches as they come, one at a time: the next is asked for when the reader has taken the last, and a reader that
 * takes nothing is cut. It goes on from where it was by the id of the last event it saw.
 */
export async function followOverSse({ request, reply, follow, closing, keepAliveMs }: FollowOptions): Promise<void> {
  const { signal, meter } = requestContextOf(request);
  const stop = new AbortController();
  const batches = follow(stop.signal)[Symbol.asyncIterator]();
  // Asked for before the head is sent: who reads the head may rely on hearing of everything from then on.
  const first = batches.next();
  // It is waited for below; if it fails before that, nobody is missing it yet.
  first.catch(() => undefined);
  const writer = openSse(reply, { signal: AbortSignal.any([signal, closing]), keepAliveMs, meter });
  if (writer.signal.aborted) stop.abort();
  else writer.signal.addEventListener("abort", () => stop.abort(), { once: true });
  try {
    await pump(batches, first, writer);
  } catch (reason) {
    if (!stop.signal.aborted) await writer.write(errorEvent(request, reason));
  } finally {
    stop.abort();
    writer.end();
  }
}

async function pump(
  batches: AsyncIterator<string>,
  first: Promise<IteratorResult<string>>,
  writer: SseWriter,
): Promise<void> {
  for (let step = await first; step.done !== true; step = await batches.next()) {
    await writer.write(step.value);
    if (writer.signal.aborted) return void (await batches.return?.());
  }
}

/** The head is out, so that only the stream itself can tell. */
function errorEvent(request: FastifyRequest, reason: unknown): string {
  const error = CaretError.from(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A stream failed unexpectedly");
  return `event: error\ndata: ${JSON.stringify(toNativeError(error.toInfo()).body)}\n\n`;
}
