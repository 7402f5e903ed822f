import { CaretError } from "@caret/protocol";
import type { ControlServer } from "./control-server.ts";
import type { CredentialSource } from "./credential-source.ts";
import { type CredentialStore, type StoredToken, tokenDigest } from "./credential-store.ts";
import { exchangeKey } from "./exchange-key.ts";
import { tokenExpiry, tokenLifetime } from "./token-lifetime.ts";

/** After a failed refresh, how long a still valid token is used before the next attempt. */
const RETRY_MS = 60_000;

interface TokenRenewalOptions {
  readonly server: ControlServer;
  readonly store: CredentialStore;
  readonly source: CredentialSource;
  readonly wallClock: () => number;
  /** The token upstream rejected last. */
  readonly rejected: string | undefined;
}

/** Returns a valid, unrejected token of the source: the stored one, or a new one. */
export async function renewToken(options: TokenRenewalOptions): Promise<StoredToken> {
  const { source, store, server } = options;
  if (source.kind === "token") return givenToken(options);
  if (!source.keep) return await exchange(options);
  const digest = tokenDigest(server.origin, source.secret);
  const stored = store.read().tokens[digest];
  if (isFresh(stored, options)) return stored;
  const { tokens } = await store.update(async (current) => {
    // Another process may have renewed it while this one waited for the lock.
    const found = current.tokens[digest];
    if (isFresh(found, options)) return current;
    const made = await exchangeOrKeep(found, options);
    return { ...current, tokens: { ...unexpired(current.tokens, options.wallClock()), [digest]: made } };
  });
  const token = tokens[digest];
  if (token === undefined) throw new CaretError("internal", "An access token was lost");
  return token;
}

export function isFresh(
  token: StoredToken | undefined,
  { rejected, wallClock }: Pick<TokenRenewalOptions, "rejected" | "wallClock">,
): token is StoredToken {
  return token !== undefined && token.accessToken !== rejected && wallClock() < token.refreshAt;
}

/** A token due for renewal but still valid stays in use if renewal fails: turns need not fail yet. */
async function exchangeOrKeep(found: StoredToken | undefined, options: TokenRenewalOptions): Promise<StoredToken> {
  try {
    return await exchange(options);
  } catch (reason) {
    const now = options.wallClock();
    if (found === undefined || found.accessToken === options.rejected || found.expiresAt <= now) throw reason;
    return { ...found, refreshAt: Math.min(now + RETRY_MS, found.expiresAt) };
  }
}

async function exchange({ server, source, wallClock, rejected }: TokenRenewalOptions): Promise<StoredToken> {
  const now = wallClock();
  const token = await exchangeKey(server, source.secret).catch((reason: unknown) => {
    throw withName(CaretError.from(reason), source);
  });
  if (token.reveal() === rejected) throw notAccepted(source);
  return { accessToken: token.reveal(), ...tokenLifetime(token.reveal(), now) };
}

function givenToken({ source, wallClock, rejected }: TokenRenewalOptions): StoredToken {
  const accessToken = source.secret.reveal();
  if (accessToken === rejected) throw notAccepted(source);
  const expiresAt = tokenExpiry(accessToken) ?? Number.POSITIVE_INFINITY;
  if (expiresAt > wallClock())
    return { accessToken, expiresAt, refreshAt: Math.min(expiresAt, wallClock() + RETRY_MS) };
  throw new CaretError("not-logged-in", `The access token of ${source.name} has expired`, { fix: source.fix });
}

/** Drops expired tokens, so those of unused keys leave the file with the next exchange. */
function unexpired(tokens: Readonly<Record<string, StoredToken>>, now: number): Record<string, StoredToken> {
  return Object.fromEntries(Object.entries(tokens).filter(([, { expiresAt }]) => expiresAt > now));
}

function notAccepted({ name, fix }: CredentialSource): CaretError {
  return new CaretError("not-logged-in", `Cursor does not accept the access token of ${name}`, { fix });
}

/** Adds whose key it was, and what its owner should do. */
function withName(error: CaretError, { name, fix }: CredentialSource): CaretError {
  return error.code === "bad-key"
    ? new CaretError("bad-key", `${error.message} of ${name}`, { fix, cause: error })
    : error;
}
