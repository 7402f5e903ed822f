export interface TokenGrant {
  readonly name: string;
  /** Unique to this token, since names are reused. If absent, the token is in no store, and tokens it makes do not outlive it. */
  readonly id?: string | undefined;
  readonly scopes: readonly string[];
  /** The token's user. Default: the gateway's own user. */
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  /** Sees what every user has. */
  readonly seesAll?: true | undefined;
  /** The only workspace its turns may work in. */
  readonly workspace?: string | undefined;
}

/**
 * Knows the tokens. `find` compares in constant time (for example, digests with `timingSafeEqual`) and reflects a revocation at once: it is
 * called every half second while an answer is being written.
 */
export interface TokenStore {
  find(secret: string): TokenGrant | undefined;
  /** Whether this is the cookie's half of a valid browser token. Compares and reflects revocation as `find` does. */
  knowsCookie(half: string): boolean;
}
