import type { ServerResponse } from "node:http";

/** Fires when the connection closes before the answer was written. */
export function clientGone(raw: ServerResponse): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort(new DOMException("The client has gone", "AbortError"));
  });
  return gone.signal;
}
