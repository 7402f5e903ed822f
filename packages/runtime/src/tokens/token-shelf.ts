import { CaretError, type TokenScope } from "@caret/protocol";

export interface TokenMaker {
  readonly name: string;
  /** Names are given again, this is not. */
  readonly sha256: string;
}

/** A token as it is kept: its secret is nowhere. */
export interface TokenEntry {
  readonly name: string;
  /** Of the secret, in hexadecimal. */
  readonly sha256: string;
  /** Of the half that a browser keeps as its cookie. */
  readonly cookieSha256?: string | undefined;
  readonly scopes: readonly TokenScope[];
  /** The user that it belongs to; absent: the person whose gateway it is. */
  readonly user?: string | undefined;
  /** The team that its user works for. */
  readonly team?: string | undefined;
  /** It sees what every user has. */
  readonly seesAll?: true | undefined;
  /** The only workspace its turns may work in. */
  readonly workspace?: string | undefined;
  /** The token that made it, with which it is revoked; absent: a person who runs commands on this machine. */
  readonly madeBy?: TokenMaker | undefined;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
}

/**
 * Where tokens are kept: a file of one gateway, or the database that all gateways of a fleet share. All implementations run
 * `describeTokenShelf`. A promise that resolved means durable.
 */
export interface TokenShelf {
  /** By when they were made, those that were revoked too. */
  list(): Promise<readonly TokenEntry[]>;
  /**
   * Rejects with `invalid-request` while another one has its name, and with `unauthenticated` when the token that makes it was revoked.
   * One that was revoked gives its name up.
   */
  add(token: TokenEntry): Promise<void>;
  /** And what it has made, and so on. Gives it first. Rejects with `not-found`. One that was revoked before stays as it was. */
  revoke(name: string, at: number): Promise<readonly [TokenEntry, ...TokenEntry[]]>;
  /** The same for what tokens have made that are kept elsewhere, by their digests. */
  revokeMadeBy(makers: readonly string[], at: number): Promise<readonly TokenEntry[]>;
}

/** The tokens that these have made, directly or not; by their digests. Those that were revoked before too. */
export function madeBy(tokens: readonly TokenEntry[], makers: readonly string[]): readonly TokenEntry[] {
  const byMaker = Map.groupBy(tokens, (token) => token.madeBy?.sha256);
  const found = new Map<string, TokenEntry>();
  const left = [...makers];
  for (let maker = left.pop(); maker !== undefined; maker = left.pop())
    for (const token of byMaker.get(maker) ?? []) {
      if (found.has(token.sha256)) continue;
      found.set(token.sha256, token);
      left.push(token.sha256);
    }
  return [...found.values()];
}

export function makerRevoked({ name }: TokenMaker): CaretError {
  return new CaretError("unauthenticated", `The token ${name}, which makes this one, was revoked`, {
    fix: "Use a valid token, or `caret link` for a browser.",
  });
}

export function tokenNameTaken(name: string): CaretError {
  return new CaretError("invalid-request", `There is a token ${name} already`, {
    fix: `Choose another name, or \`caret token revoke ${name}\` first.`,
  });
}

export function unknownToken(name: string): CaretError {
  return new CaretError("not-found", `There is no token ${JSON.stringify(name)}`, {
    fix: "`caret token ls` prints their names.",
  });
}
