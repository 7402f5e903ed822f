import type { Secret } from "@caret/protocol";

/** An access token and its origin. */
export interface AccessToken {
  readonly secret: Secret;
  /**
   * Digest of the key or login it was exchanged for. Data about an account is stored under it: another key may belong to another account.
   */
  readonly madeFrom: string;
}

/**
 * Access tokens of one profile, for the API lane.
 *
 * - the key or login is looked up on every call: a replaced one is used at once, and if it was removed the call rejects;
 * - concurrent callers share one exchange or refresh of the same key;
 * - a token about to expire is replaced before it is returned;
 * - failures are `CaretError`s: `not-logged-in`, `bad-key`, `invalid-config`, `rate-limited`, `upstream-unreachable`;
 * - every returned token is known to the redactor.
 */
export interface ApiCredentials {
  /** Digest of the key or login a token would come from now; nothing is exchanged. */
  madeFrom(): Promise<string>;
  /** A currently valid token. */
  accessToken(signal: AbortSignal): Promise<AccessToken>;
  /**
   * Call when upstream rejected this token. Forgets it and returns another; one token counts as rejected once, however many callers report
   * it. Rejects if no other can be obtained.
   */
  replaceRejected(rejected: AccessToken, signal: AbortSignal): Promise<AccessToken>;
}
