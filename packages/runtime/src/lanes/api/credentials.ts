import type { Secret } from "@caret/protocol";

/**
 * What the API lane logs in with: access tokens of one profile.
 *
 * - many callers may ask at once; one exchange or refresh runs for all of them;
 * - a token that is about to expire is replaced before it is returned;
 * - failures are `CaretError`s: `not-logged-in`, `bad-key`, `rate-limited`, `upstream-unreachable`;
 * - every token that is returned has been given to the redactor.
 */
export interface ApiCredentials {
  /** A token that is valid now. */
  accessToken(signal: AbortSignal): Promise<Secret>;
  /**
   * Upstream rejected this token. Forgets it and returns another; the same one counts as rejected once, however many
   * callers report it. Rejects when no other can be had.
   */
  replaceRejected(rejected: Secret, signal: AbortSignal): Promise<Secret>;
}
