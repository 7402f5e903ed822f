import { isJsonObject, parseJson } from "@caret/protocol";

const MINUTE_MS = 60_000;
/** For tokens that do not state their lifetime. */
const ASSUMED_MS = 30 * MINUTE_MS;
const MARGIN_MS = 5 * MINUTE_MS;

export interface TokenLifetime {
  /** From this time on a new one should be requested. */
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/**
 * How long a just received access token is valid. Uses the token's own two times if it has both, so a wrong clock on this machine does not
 * matter.
 */
export function tokenLifetime(token: string, now: number): TokenLifetime {
  const { exp, iat } = readClaims(token);
  const expiresAt = exp === undefined ? now + ASSUMED_MS : iat === undefined ? exp : now + (exp - iat);
  // Short-lived tokens are used for half their life; others until the last minutes.
  const halfLife = now + (expiresAt - now) / 2;
  return { refreshAt: Math.max(expiresAt - MARGIN_MS, halfLife), expiresAt };
}

/** When a token received earlier expires; undefined if it does not say. */
export function tokenExpiry(token: string): number | undefined {
  return readClaims(token).exp;
}

/** In milliseconds. Verifies nothing: the server does that. */
function readClaims(token: string): { readonly exp?: number; readonly iat?: number } {
  const [, payload = ""] = token.split(".");
  const claims = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  if (!isJsonObject(claims)) return {};
  const { exp, iat } = claims;
  return {
    ...(typeof exp === "number" ? { exp: exp * 1000 } : {}),
    ...(typeof iat === "number" ? { iat: iat * 1000 } : {}),
  };
}
