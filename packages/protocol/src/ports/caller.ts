/** On whose behalf a request is made: one of our tokens, already checked. */
export interface Caller {
  readonly tokenName: string;
  /** Bounds the tokens this caller creates: they get no more scopes, and are revoked with it. Undefined for the gateway itself. */
  readonly token?: { readonly id: string | undefined; readonly scopes: readonly string[] } | undefined;
  /**
   * The user the token belongs to; undefined for the gateway's own user, who has no name. Users see only what is theirs; to anyone else it
   * does not exist.
   */
  readonly user?: string | undefined;
  /** The user's team, according to the token. */
  readonly team?: string | undefined;
  /** Sees the data of all users: an administrator's token with that right, or the gateway itself. */
  readonly seesAll?: true | undefined;
  /** The only workspace its turns can use. Undefined: any allowed one. */
  readonly workspace?: string | undefined;
  /** The connection the request came over, if known. */
  readonly connection?: ClientConnection | undefined;
  /** The request's W3C `traceparent`, if requests are traced; its turn joins that trace. */
  readonly traceparent?: string | undefined;
  /** Idempotency key: the command is recorded in the same commit as its effect. */
  readonly command?: CommandKey;
}

/** A connection as seen by the server. All requests of one connection share one object. */
export interface ClientConnection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
}

/** A command to carry out once, identified by the client. */
export interface CommandKey {
  /** Derived from the client's key, its token and the key's purpose. */
  readonly name: string;
  /** Digest of the request: the same name with a different digest is a different request. */
  readonly digest: string;
  /** The queued message that the turn begins with; removed from the queue in the commit of the turn's start. */
  readonly delivers?: string;
}

/** Copy without the fields that are only valid while the request is open, for use in another process or later. */
export function lastingCaller({ tokenName, user, team, seesAll, workspace, traceparent }: Caller): Caller {
  return {
    tokenName,
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    ...(seesAll === undefined ? {} : { seesAll }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * Namespace of the conversations, kept answers and idempotency keys that a request can refer to: its user's, else its token's. Token names
 * contain no spaces, so the two cannot collide.
 */
export function keeperOf({ tokenName, user }: Caller): string {
  return user === undefined ? tokenName : `user ${user}`;
}

/**
 * Whether the caller can see the machine: its paths, its programs, its problems. True for the gateway and its administrators; users, and
 * tokens for sessions or for one workspace, see only what is theirs.
 */
export function seesMachine({ token, user, seesAll, workspace }: Caller): boolean {
  if (token === undefined) return true;
  return token.scopes.includes("admin") && workspace === undefined && (user === undefined || seesAll === true);
}
