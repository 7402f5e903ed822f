/** On whose behalf something is done: a token of ours, already checked. */
export interface Caller {
  readonly tokenName: string;
  /** What tokens that it makes are held to: they may do no more, and go with it. Undefined for the gateway itself. */
  readonly token?: { readonly id: string | undefined; readonly scopes: readonly string[] } | undefined;
  /**
   * The user whose token it is; undefined: the person whose gateway it is, who has no name. Each sees what is their own: for
   * anybody else it does not exist.
   */
  readonly user?: string | undefined;
  /** The team that the user works for, by the token. */
  readonly team?: string | undefined;
  /** Sees what every user has: an administrator's token that says so, or the gateway itself. */
  readonly seesAll?: true | undefined;
  /** The only workspace its turns may work in; undefined: any that is allowed. */
  readonly workspace?: string | undefined;
  /** Where the request came from; undefined when that is not known. */
  readonly connection?: ClientConnection | undefined;
  /** The W3C `traceparent` of the request, where requests are traced: its turn is a part of that trace. */
  readonly traceparent?: string | undefined;
  /** The client wants this done once: the key is recorded together with what is done. */
  readonly command?: CommandKey;
}

/** A connection as the server's end of it sees it. The same object for all requests of one connection. */
export interface ClientConnection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
}

/** What a client asked to be done once, under a name of its own. */
export interface CommandKey {
  /** Derived from the client's key, its token and what the key is for. */
  readonly name: string;
  /** Of the request: the same name with another digest is another request. */
  readonly digest: string;
  /** The message of an agent's queue that the turn begins with: taken from the queue in the commit of the turn's start. */
  readonly delivers?: string;
}

/** The caller, without what means something only while its request is open: for another process, or a later moment. */
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
 * Whose conversations, kept answers and idempotency keys a request may refer to: its user's, or where there is none its
 * token's. No token has a name with a space in it.
 */
export function keeperOf({ tokenName, user }: Caller): string {
  return user === undefined ? tokenName : `user ${user}`;
}

/**
 * Whether the caller may know what is on the machine: its paths, its programs, what is wrong with it. The gateway itself and its administrators may;
 * a user, and a program with a token for sessions or for one workspace, only see what is theirs.
 */
export function seesMachine({ token, user, seesAll, workspace }: Caller): boolean {
  if (token === undefined) return true;
  return token.scopes.includes("admin") && workspace === undefined && (user === undefined || seesAll === true);
}
