import { isJsonObject, parseJson } from "@caret/protocol";

const MINUTE_MS = 60_000;
/** Of a token that does not say how long it is valid. */
const ASSUMED_MS = 30 * MINUTE_MS;
const MARGIN_MS = 5 * MINUTE_MS;

export interface TokenLifetime {
  /** From now on another one should be asked for. */
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/**
 * How long an access token that was just received is valid. By its own two times where it has both, so that a clock of this
 * machine that is wrong does not matter.
 */
export function tokenLifetime(token: string, now: number): TokenLifetime {
  const { exp, iat } = readClaims(token);
  const expiresAt = exp === undefined ? now + ASSUMED_MS : iat === undefined ? exp : now + (exp - iat);
  // Of a token with a short life half is used; of others, all but the last minutes.
  const halfLife = now + (expiresAt - now) / 2;
  return { refreshAt: Math.max(expiresAt - MARGIN_MS, halfLife), expiresAt };
}

/** When a token that was received some time ago expires; undefined when it does not say. */
export function tokenExpiry(token: string): number | undefined {
  return readClaims(token).exp;
}

/** In milliseconds. Nothing is verified: the server does that. */
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
