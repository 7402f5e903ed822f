import type { FastifyReply, FastifyRequest } from "fastify";
import { clientGone } from "../http/client-gone.ts";
import { requestContextOf } from "../http/request-context.ts";
import { openSse } from "../http/sse-writer.ts";

/** The request as the protocol's own code reads it. Its body is already parsed and passed separately. */
export function toWebRequest({ method, url, headers }: FastifyRequest, { raw }: FastifyReply): Request {
  const named = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );
  return new Request(new URL(url, "http://localhost"), { method, headers: named, signal: clientGone(raw) });
}

export interface SendOptions {
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  readonly keepAliveMs: number;
}

/** Sends a response of the protocol's own code, whole or as a stream. */
export async function sendResponse(
  { status, headers, body }: Response,
  request: FastifyRequest,
  reply: FastifyReply,
  { closing, keepAliveMs }: SendOptions,
): Promise<void> {
  reply.headers(Object.fromEntries(headers));
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    await reply.code(status).send(body === null ? undefined : await new Response(body).text());
    return;
  }
  const { signal, meter } = requestContextOf(request);
  const writer = openSse(reply, { signal: AbortSignal.any([signal, closing]), keepAliveMs, meter });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const leave = (): void => void reader.cancel().catch(() => undefined); // it has already ended
  writer.signal.addEventListener("abort", leave, { once: true });
  if (writer.signal.aborted) leave();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) await writer.write(step.value);
  } finally {
    writer.end();
  }
}
