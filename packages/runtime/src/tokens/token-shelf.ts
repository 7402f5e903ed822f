import { CaretError, type TokenScope } from "@caret/protocol";

export interface TokenMaker {
  readonly name: string;
  /** Identifies the token: names are reused, digests are not. */
  readonly sha256: string;
}

/** A token as stored, without its secret. */
export interface TokenEntry {
  readonly name: string;
  /** Digest of the secret, in hexadecimal. */
  readonly sha256: string;
  /** Digest of the half that a browser keeps as its cookie. */
  readonly cookieSha256?: string | undefined;
  readonly scopes: readonly TokenScope[];
  /** The user it belongs to. If absent, the gateway's own user. */
  readonly user?: string | undefined;
  /** The team its user works for. */
  readonly team?: string | undefined;
  /** It sees the data of all users. */
  readonly seesAll?: true | undefined;
  /** The only workspace its turns can use. */
  readonly workspace?: string | undefined;
  /** The token that created it, and with which it is revoked. Absent if a person created it by a command on this machine. */
  readonly madeBy?: TokenMaker | undefined;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
}

/**
 * Where tokens are stored: one gateway's file, or the database shared by all gateways of a fleet. All implementations run
 * `describeTokenShelf`. A resolved promise means durable.
 */
export interface TokenShelf {
  /** In order of creation, including revoked ones. */
  list(): Promise<readonly TokenEntry[]>;
  /**
   * Rejects with `invalid-request` while another token has its name, and with `unauthenticated` if its maker was revoked. A revoked token's
   * name can be reused.
   */
  add(token: TokenEntry): Promise<void>;
  /**
   * Revokes a token and, recursively, those it created. Resolves with the token first. Rejects with `not-found`. Tokens revoked before stay
   * unchanged.
   */
  revoke(name: string, at: number): Promise<readonly [TokenEntry, ...TokenEntry[]]>;
  /** The same for tokens created by makers that are stored elsewhere, given by digest. */
  revokeMadeBy(makers: readonly string[], at: number): Promise<readonly TokenEntry[]>;
}

/** The tokens created, directly or indirectly, by these makers (given by digest), including revoked ones. */
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
