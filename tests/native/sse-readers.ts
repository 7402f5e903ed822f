import { type IncomingMessage, request } from "node:http";
import { type EventReader, type ReaderOptions, type Received, reconnecting } from "./event-reader.ts";

type Resume = (last: number) => { readonly query: string; readonly headers: Readonly<Record<string, string>> };

/** As browsers do it. */
export const sseByHeader: EventReader = sseReader((last) => ({
  query: "",
  headers: last === 0 ? {} : { "last-event-id": String(last) },
}));

/** As `curl` does it. */
export const sseByQuery: EventReader = sseReader((last) => ({ query: `?after=${last}`, headers: {} }));

/** What browsers send at a second attempt on the same address: the header counts. */
export const sseByBoth: EventReader = sseReader((last) => ({
  query: "?after=0",
  headers: { "last-event-id": String(last) },
}));

function sseReader(resume: Resume): EventReader {
  return reconnecting(({ baseUrl, sessionId, signal }: ReaderOptions, received) => {
    const { query, headers } = resume(received.last);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const url = `${baseUrl}/api/sessions/${sessionId}/events${query}`;
    const sent = request(url, { agent: false, headers, signal }, (response) => {
      if (response.statusCode === 200) collect(response, received);
      // A gateway that is about to go, or has just come, may say so.
      else if ((response.statusCode ?? 0) < 500) reject(new Error(`GET ${query} was answered ${response.statusCode}`));
      response.on("error", () => undefined);
      response.on("close", resolve);
      response.resume();
    });
    sent.on("error", () => resolve());
    sent.end();
    return promise;
  });
}

/** Only whole messages count: what is torn comes again. */
function collect(response: IncomingMessage, received: Received): void {
  let bytes = Buffer.alloc(0);
  response.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let end = bytes.indexOf("\n\n"); end !== -1; end = bytes.indexOf("\n\n")) {
      const message = bytes.subarray(0, end).toString();
      bytes = bytes.subarray(end + 2);
      if (!message.startsWith(":")) received.add(dataOf(message));
    }
  });
}

function dataOf(message: string): string {
  const [, id = "", data = ""] = /^id: (\d+)\ndata: (.*)$/.exec(message) ?? [];
  if ((JSON.parse(data || "{}") as { seq?: number }).seq !== Number(id)) throw new Error(`No event: ${message}`);
  return data;
}
