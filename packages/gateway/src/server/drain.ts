import type { Server } from "node:http";
import { CaretError } from "@caret/protocol";
import type { LiveRequests } from "./live-requests.ts";

/** How long a door may take to write its end, and a little more. */
const FAREWELL_MS = 1500;

/**
 * Let running answers finish for a while, then have their doors end them properly, then close what is still open. Called
 * when the server begins to close; it needs no waiting for.
 */
export function drain(server: Server, live: LiveRequests, drainMs: number): void {
  let farewell: NodeJS.Timeout | undefined;
  const patience = setTimeout(() => {
    live.stopAll(new CaretError("interrupted", "The gateway is shutting down."));
    farewell = setTimeout(() => server.closeAllConnections(), FAREWELL_MS);
  }, drainMs);
  // A connection that was busy when the server closed is kept alive by Node after its answer: it has to be told.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  server.once("close", () => {
    clearTimeout(patience);
    clearTimeout(farewell);
    clearInterval(idle);
  });
}
