import { hash } from "node:crypto";
import type { Ids } from "../../process/ids.ts";

/** The two tokens of a session, as an exchange or a login gives them. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface TokensOptions {
  readonly ids: Ids;
  readonly now: () => number;
  readonly tokenSeconds: number;
}

/** Issues access tokens that expire, and knows whether one is still good. */
export interface Tokens {
  /** `key`: what they are exchanged for. */
  issue(key?: string): TokenPair;
  /** A new pair for a refresh token of ours; undefined for any other. */
  refresh(refreshToken: string): TokenPair | undefined;
  /** Whether a request with this bearer is answered. */
  isGood(bearer: string): boolean;
  /** A digest of the key that an access token was exchanged for: enough to compare, nothing to steal. */
  madeFrom(bearer: string): string | undefined;
}

export function createTokens({ ids, now, tokenSeconds }: TokensOptions): Tokens {
  const expiries = new Map<string, number>();
  const refreshTokens = new Set<string>();
  const origins = new Map<string, string>();
  function issue(key?: string): TokenPair {
    const issuedAt = Math.floor(now() / 1_000);
    const expiresAt = issuedAt + tokenSeconds;
    const accessToken = toJwt({ sub: "auth0|simulated", iat: issuedAt, exp: expiresAt, jti: ids.uuid() });
    const refreshToken = toJwt({ sub: "auth0|simulated", type: "refresh", jti: ids.uuid() });
    expiries.set(accessToken, expiresAt * 1_000);
    refreshTokens.add(refreshToken);
    if (key !== undefined) origins.set(accessToken, hash("sha256", key, "hex").slice(0, 12));
    return { accessToken, refreshToken };
  }
  return {
    issue,
    madeFrom: (bearer) => origins.get(bearer),
    refresh: (refreshToken) => (refreshTokens.has(refreshToken) ? issue() : undefined),
    isGood(bearer) {
      if (refreshTokens.has(bearer)) return false;
      const expiry = expiries.get(bearer);
      // A token of another issuer is good, as a key is, unless it says of itself that it is not.
      return expiry === undefined ? !isBadKey(bearer) && !isApiKey(bearer) : now() < expiry;
    },
  };
}

/** A key that is empty or says so of itself is bad; the CLI's simulator has the same rule. */
export function isBadKey(key: string): boolean {
  return key === "" || /bad|invalid/i.test(key);
}

/** An API key is exchanged; it never is the bearer of another call. */
function isApiKey(bearer: string): boolean {
  return /^(?:key|crsr|cursor)[_-]/.test(bearer);
}

/** Looks like a signed token, and is signed by nobody: only the simulator takes it. */
function toJwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.${Buffer.from("simulated").toString("base64url")}`;
}
