import type { Secret } from "@caret/protocol";

/** An access token, and what it was made from. */
export interface AccessToken {
  readonly secret: Secret;
  /**
   * A digest of the key or login that it was exchanged for. What upstream says of an account is kept by it: another key
   * may be another account's.
   */
  readonly madeFrom: string;
}

/**
 * What the API lane logs in with: access tokens of one profile.
 *
 * - the key or login is looked for with every call: one that was replaced is used at once, and where it was taken away the call rejects;
 * - many callers may ask at once; one exchange or refresh of the same key runs for all of them;
 * - a token that is about to expire is replaced before it is returned;
 * - failures are `CaretError`s: `not-logged-in`, `bad-key`, `invalid-config`, `rate-limited`, `upstream-unreachable`;
 * - every token that is returned has been given to the redactor.
 */
export interface ApiCredentials {
  /** What a token would be made from now; nothing is exchanged for it. */
  madeFrom(): Promise<string>;
  /** A token that is valid now. */
  accessToken(signal: AbortSignal): Promise<AccessToken>;
  /**
   * Upstream rejected this token. Forgets it and returns another; the same one counts as rejected once, however many
   * callers report it. Rejects when no other can be had.
   */
  replaceRejected(rejected: AccessToken, signal: AbortSignal): Promise<AccessToken>;
}
