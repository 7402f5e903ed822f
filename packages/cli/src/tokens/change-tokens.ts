import { randomBytes } from "node:crypto";
import { CaretError, Secret, type TokenScope } from "@caret/protocol";
import type { TokenEntry, TokenMaker, TokenShelf } from "@caret/runtime";
import { fileTokens } from "./file-tokens.ts";
import { digestToken } from "./token-file.ts";

const namePattern = /^\w[\w.-]{0,63}$/;
const SECRET_BYTES = 32;

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly workspace?: string;
  /** The user it belongs to. Default: the gateway's own user. */
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  readonly seesAll?: true | undefined;
  /** Omitted if created by a command on the machine. */
  readonly madeBy?: TokenMaker | undefined;
  /** For a browser: returns the part of the secret that becomes its cookie. */
  readonly cookieOf?: (secret: Secret) => string;
}

/** A data directory, or another store of tokens. */
export type TokenPlace = string | TokenShelf;

/** Resolves to the secret, which is not stored: this is the only time it can be seen. */
export async function createToken(
  place: TokenPlace,
  { cookieOf, name, scopes, workspace, user, team, seesAll, madeBy }: NewToken,
  now: () => number = Date.now,
): Promise<{ readonly entry: TokenEntry; readonly secret: Secret }> {
  assertName(name, "a token");
  if (user !== undefined) assertName(user, "a user");
  if (team !== undefined) assertName(team, "a team");
  if (team !== undefined && user === undefined)
    throw new CaretError("invalid-request", "A token of a team belongs to a user", { fix: "Name the user, too." });
  const secret = new Secret(`caret_${randomBytes(SECRET_BYTES).toString("base64url")}`);
  const entry: TokenEntry = {
    name,
    scopes: [...scopes],
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    ...(seesAll === undefined ? {} : { seesAll }),
    ...(workspace === undefined ? {} : { workspace }),
    sha256: digestToken(secret.reveal()),
    ...(cookieOf === undefined ? {} : { cookieSha256: digestToken(cookieOf(secret)) }),
    ...(madeBy === undefined ? {} : { madeBy }),
    createdAt: now(),
  };
  await shelfAt(place).add(entry);
  return { entry, secret };
}

/** Revokes a token along with those it created; resolves to all of them. */
export async function revokeToken(
  place: TokenPlace,
  name: string,
  now: () => number = Date.now,
): Promise<readonly [TokenEntry, ...TokenEntry[]]> {
  return await shelfAt(place).revoke(name, now());
}

export function shelfAt(place: TokenPlace): TokenShelf {
  return typeof place === "string" ? fileTokens(place) : place;
}

function assertName(name: string, what: string): void {
  if (!namePattern.test(name)) throw unusableName(name, what);
}

export function unusableName(name: string, what = "a token"): CaretError {
  return new CaretError("invalid-request", `${JSON.stringify(name)} cannot be the name of ${what}`, {
    fix: "Use another one: letters, digits, dots, dashes and underscores; 64 at most.",
  });
}
