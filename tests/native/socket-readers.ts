import { WebSocket } from "ws";
import { type EventReader, type Received, reconnecting } from "./event-reader.ts";

/** Envelopes, as over SSE. */
export const socket: EventReader = socketReader([], (received) => received.last);

/** The stored shape of pages for the agent's own stream, which know an event by its id. */
export const seedSocket: EventReader = socketReader(["cursor-agent.events"], ({ texts, last }) => {
  const newest = texts.at(-1);
  return newest === undefined ? last : (JSON.parse(newest) as { id: string }).id;
});

function socketReader(protocols: string[], since: (received: Received) => number | string): EventReader {
  return reconnecting(({ baseUrl, sessionId, signal }, received) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = new WebSocket(`${baseUrl.replace(/^http/, "ws")}/api/sessions/${sessionId}/socket`, protocols);
    const hangUp = (): void => line.terminate();
    signal.addEventListener("abort", hangUp, { once: true });
    line.on("open", () => line.send(JSON.stringify({ since: since(received) })));
    line.on("message", (data) => {
      const text = String(data);
      if (text.startsWith('{"error"')) reject(new Error(text));
      else received.add(text);
    });
    // A connection that was lost is closed as well.
    line.on("error", () => undefined);
    line.on("close", () => {
      signal.removeEventListener("abort", hangUp);
      resolve();
    });
    return promise;
  });
}
