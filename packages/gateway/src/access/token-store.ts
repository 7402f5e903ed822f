export interface TokenGrant {
  readonly name: string;
  /** Of the token alone: names are given again. Absent: it is in no store, and makes no other ones that outlive it. */
  readonly id?: string | undefined;
  readonly scopes: readonly string[];
  /** The user that it belongs to; absent: the person whose gateway it is. */
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  /** It sees what every user has. */
  readonly seesAll?: true | undefined;
  /** The only workspace its turns may work in. */
  readonly workspace?: string | undefined;
}

/**
 * Knows the tokens. `find` compares in constant time (digests with `timingSafeEqual`, for one) and knows of a revocation
 * at once: it is asked again every half second for as long as an answer is being written.
 */
export interface TokenStore {
  find(secret: string): TokenGrant | undefined;
  /** Whether this is the cookie's half of a browser's token that is still valid. Compares and revokes as `find` does. */
  knowsCookie(half: string): boolean;
}
