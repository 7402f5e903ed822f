import type { Server } from "node:http";
import { CaretError } from "@caret/protocol";
import { stopTaking } from "../http/connections.ts";
import type { Credential } from "./authenticate.ts";
import type { TokenStore } from "./token-store.ts";

/** How long a door may take to write its end, with some margin. */
const FAREWELL_MS = 1200;

const RECHECK_MS = 500;

export interface LiveRequests {
  /** Until `end`, the signal fires when the token is revoked or the gateway stops. */
  begin(credential: Credential): { readonly signal: AbortSignal; end(): void };
  /** Aborts all requests: their time to finish is over. */
  stopAll(reason: CaretError): void;
  readonly count: number;
}

/** The requests being answered. While there are any, their tokens are rechecked at an interval. */
export function createLiveRequests(tokens: Pick<TokenStore, "find">): LiveRequests {
  const live = new Map<AbortController, Credential>();
  let recheck: NodeJS.Timeout | undefined;

  /** Looks up each token once, however many requests it has. */
  function checkTokens(): void {
    const secrets = new Set([...live.values()].flatMap(({ secret }) => secret?.reveal() ?? []));
    const revoked = new Set([...secrets].filter((secret) => tokens.find(secret) === undefined));
    for (const [controller, { secret }] of live) {
      if (secret !== undefined && revoked.has(secret.reveal()))
        controller.abort(new CaretError("unauthenticated", "The token was revoked while the answer was written."));
    }
  }

  return {
    get count() {
      return live.size;
    },
    begin(credential) {
      const controller = new AbortController();
      live.set(controller, credential);
      recheck ??= setInterval(checkTokens, RECHECK_MS).unref();
      return {
        signal: controller.signal,
        end() {
          live.delete(controller);
          if (live.size > 0) return;
          clearInterval(recheck);
          recheck = undefined;
        },
      };
    },
    stopAll(reason) {
      for (const controller of live.keys()) controller.abort(reason);
    },
  };
}

/**
 * Lets running answers finish for a while, then has their doors end them properly, then closes what is still open. Call it when the server
 * begins to close; there is nothing to await.
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
