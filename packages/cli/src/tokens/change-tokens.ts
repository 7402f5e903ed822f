import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { CaretError, Secret, type TokenScope } from "@caret/protocol";
import { withFileLock } from "@caret/runtime";
import { digestToken, readTokenFile, type TokenEntry, tokenFilePath, writeTokenFile } from "./token-file.ts";

const namePattern = /^\w[\w.-]{0,63}$/;
const SECRET_BYTES = 32;

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly workspace?: string;
  /** For a browser: the part of the secret that will be its cookie. */
  readonly cookieOf?: (secret: Secret) => string;
}

/** Resolves to the secret, which is not stored: this is the only time it can be seen. */
export async function createToken(
  dataDir: string,
  { cookieOf, ...token }: NewToken,
  now: () => number = Date.now,
): Promise<{ readonly entry: TokenEntry; readonly secret: Secret }> {
  if (!namePattern.test(token.name))
    throw new CaretError("invalid-request", `${JSON.stringify(token.name)} cannot be the name of a token`, {
      fix: "Use letters, digits, dots, dashes and underscores; 64 at most.",
    });
  const secret = new Secret(`caret_${randomBytes(SECRET_BYTES).toString("base64url")}`);
  const entry: TokenEntry = {
    ...token,
    scopes: [...token.scopes],
    sha256: digestToken(secret.reveal()),
    ...(cookieOf === undefined ? {} : { cookieSha256: digestToken(cookieOf(secret)) }),
    createdAt: now(),
  };
  await changeTokens(dataDir, (tokens) => {
    if (tokens.some(({ name, revokedAt }) => name === token.name && revokedAt === undefined))
      throw new CaretError("invalid-request", `There is a token ${token.name} already`, {
        fix: `Choose another name, or \`caret token revoke ${token.name}\` first.`,
      });
    return [...tokens.filter(({ name }) => name !== token.name), entry];
  });
  return { entry, secret };
}

export async function revokeToken(dataDir: string, name: string, now: () => number = Date.now): Promise<TokenEntry> {
  const tokens = await changeTokens(dataDir, (all) => {
    if (!all.some((entry) => entry.name === name))
      throw new CaretError("not-found", `There is no token ${JSON.stringify(name)}`, {
        fix: "`caret token ls` prints their names.",
      });
    return all.map((entry) => (entry.name === name ? { ...entry, revokedAt: entry.revokedAt ?? now() } : entry));
  });
  const revoked = tokens.find((entry) => entry.name === name);
  if (revoked === undefined) throw new CaretError("internal", "A revoked token was lost");
  return revoked;
}

async function changeTokens(
  dataDir: string,
  change: (tokens: readonly TokenEntry[]) => readonly TokenEntry[],
): Promise<readonly TokenEntry[]> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return await withFileLock(tokenFilePath(dataDir), () => {
    const changed = change(readTokenFile(dataDir));
    writeTokenFile(dataDir, changed);
    return changed;
  });
}
