import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";

/** Status codes of responses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** A `fetch` that reaches one server by its Unix socket, whatever host the URL names. */
export function socketFetch(socketPath: string): typeof fetch {
  return async (input, { method = "GET", headers = {}, body, signal } = {}) => {
    const { pathname, search } = new URL(String(input));
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sent = request({
      socketPath,
      // A kept-alive connection would prevent the command from ending.
      agent: false,
      path: `${pathname}${search}`,
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), host: "localhost" },
      ...(signal ? { signal } : {}),
    });
    sent.on("response", (incoming) => resolve(toResponse(incoming))).on("error", reject);
    sent.end(body ?? undefined);
    return await promise;
  };
}

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode: status = 500, headers } = incoming;
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  if (BODILESS.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers: entries });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers: entries });
}
