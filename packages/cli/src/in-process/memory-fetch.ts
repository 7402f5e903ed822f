import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { duplexPair, Readable } from "node:stream";

/** Status codes of responses without a body. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` whose every request goes to this server over an in-memory connection: no port is opened, and no other process can connect.
 * Ending the body or aborting closes the connection, as over a network.
 */
export function createMemoryFetch(server: Server): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = Buffer.from(await request.arrayBuffer());
    const response = await send(server, request, body);
    const { statusCode = 500, headers } = response;
    const stream = BODYLESS.has(statusCode) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
    return new Response(stream, { status: statusCode, headers: toHeaders(headers) });
  };
}

async function send(server: Server, { url, method, headers, signal }: Request, body: Buffer): Promise<IncomingMessage> {
  const { pathname, search } = new URL(url);
  const asked = httpRequest({
    method,
    path: pathname + search,
    // The server accepts requests addressed to this machine, and there is no port.
    headers: { ...Object.fromEntries(headers), host: "localhost", connection: "close", "content-length": body.length },
    createConnection: () => connect(server) as never,
    signal,
  });
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

function connect(server: Server): Readable {
  const [ours, theirs] = duplexPair();
  // Node's sockets have this method, and the server ends connections with it: data already written still arrives.
  const destroySoon = (): void => void theirs.end(() => theirs.destroy());
  server.emit("connection", Object.assign(theirs, { destroySoon }));
  // Destroying one of a pair of streams does not close the other; a connection does.
  ours.once("close", () => theirs.destroy());
  theirs.once("close", () => {
    if (!theirs.writableFinished) ours.destroy();
  });
  return ours;
}

function toHeaders(headers: IncomingMessage["headers"]): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) result.set(name, String(value));
  return result;
}
