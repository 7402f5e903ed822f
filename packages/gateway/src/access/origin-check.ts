import { CaretError } from "@caret/protocol";
import { type Addressed, headerValues, LOOPBACK_NAMES } from "./host-check.ts";

/**
 * Rejects requests from pages of other sites. Browsers put an Origin on every request that could change something; programs send none.
 * `null` comes from a sandboxed frame or a local file, so it proves nothing and is rejected.
 */
export function assertAllowedOrigin(request: Addressed, origins: readonly string[]): void {
  const sent = headerValues(request.rawHeaders, "origin");
  const allowed = [...LOOPBACK_NAMES.map((name) => `http://${name}:${request.socket.localPort}`), ...origins];
  if (sent.every((origin) => allowed.includes(origin.toLowerCase()))) return;
  throw new CaretError("forbidden", "Refused: pages of other sites may not talk to this gateway.", {
    fix: "Use the gateway's own page, or add the origin to its allowed origins.",
  });
}
