import type { Server } from "node:http";
import { CaretError } from "@caret/protocol";
import { stopTaking } from "./connections.ts";
import type { LiveRequests } from "./live-requests.ts";

/** How long a door may take to write its end, and a little more. */
const FAREWELL_MS = 1200;

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
  server.once("close", () => {
    clearTimeout(patience);
    clearTimeout(farewell);
  });
  stopTaking(server);
}
