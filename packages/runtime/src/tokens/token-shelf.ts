import { CaretError, type TokenScope } from "@caret/protocol";

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
  /** Rejects with `invalid-request` while another one has its name. One that was revoked gives its name up. */
  add(token: TokenEntry): Promise<void>;
  /** Rejects with `not-found`. One that was revoked before stays as it was. */
  revoke(name: string, at: number): Promise<TokenEntry>;
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
