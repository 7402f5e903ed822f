import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import { accountEmail, makeApiKey } from "./account.ts";
import { type ControlServer, createControlServer } from "./control-server.ts";
import { type CredentialStore, type StoredCredentials, type StoredLogin, tokenDigest } from "./credential-store.ts";
import { revokeLogin } from "./log-out.ts";
import { createLoginChallenge } from "./login-challenge.ts";
import { pollLogin, type SessionTokens } from "./poll-login.ts";
import { tokenLifetime } from "./token-lifetime.ts";

/** The lifetime of the official SDK's keys. */
const KEY_LIFE_MS = 90 * 24 * 60 * 60 * 1000;

export interface LogInOptions {
  readonly controlUrl: URL;
  /** Where the person logs in. */
  readonly website: URL;
  readonly store: CredentialStore;
  readonly fetch: typeof fetch;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newId: () => string;
  readonly wallClock: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Called once, before the first poll. */
  readonly onLink: (link: string) => void;
}

/** A login as shown to a person. Contains no secret. */
export interface LoginSummary {
  readonly origin: string;
  readonly kind: StoredLogin["kind"];
  readonly email: string | undefined;
  readonly expiresAt: number | undefined;
  /** Why no API key was made, if none was. */
  readonly note: string | undefined;
}

/** Logs in by a link and stores the result. Stores nothing on failure or cancellation. */
export async function logIn(options: LogInOptions): Promise<LoginSummary> {
  const { website, store, randomBytes, newId, wallClock, signal } = options;
  const server = createControlServer(options);
  const challenge = createLoginChallenge({ website, randomBytes, uuid: newId() });
  options.onLink(challenge.link);
  const wait = options.wait ?? ((ms: number, stop: AbortSignal) => sleep(ms, undefined, { signal: stop }));
  const tokens = await pollLogin({ server, challenge, wait, signal });
  const { login, note } = await toLogin(server, tokens, { keyName: keyName(challenge.uuid, wallClock()), wallClock });
  signal.throwIfAborted();
  const before = await replaceLogin(store, { login, tokens, now: wallClock() });
  // The previous login's key is no longer needed; whether its server still answers does not affect this login.
  if (before !== undefined) await revokeLogin(before, options).catch(() => undefined);
  const { origin, kind, email, expiresAt } = login;
  return { origin, kind, email, expiresAt, note };
}

/** Unique, so the key can be found in the account's list. */
function keyName(uuid: string, now: number): string {
  const [day = ""] = new Date(now).toISOString().split("T", 1);
  return `Caret ${day} ${uuid.slice(0, 8)}`;
}

interface ToLoginOptions {
  readonly keyName: string;
  readonly wallClock: () => number;
}

/**
 * What to store of a login: an API key created with it, as the official SDK does. If a team forbids such keys, the refresh token is stored.
 */
async function toLogin(
  server: ControlServer,
  { accessToken, refreshToken }: SessionTokens,
  { keyName: name, wallClock }: ToLoginOptions,
): Promise<{ readonly login: StoredLogin; readonly note: string | undefined }> {
  const createdAt = wallClock();
  // The address is only for display.
  const email = await accountEmail(server, accessToken).catch(() => undefined);
  const common = { origin: server.origin, ...(email === undefined ? {} : { email }), createdAt };
  try {
    const { key, id, expiresAt } = await makeApiKey(server, { name, expiresAt: createdAt + KEY_LIFE_MS }, accessToken);
    const numbered = id === undefined ? {} : { keyId: id };
    const login = { ...common, kind: "key", secret: key.reveal(), keyName: name, ...numbered, expiresAt } as const;
    return { login, note: undefined };
  } catch (reason) {
    const { message } = CaretError.from(reason);
    return { login: { ...common, kind: "session", secret: refreshToken.reveal() }, note: message };
  }
}

interface NewLogin {
  readonly login: StoredLogin;
  readonly tokens: SessionTokens;
  readonly now: number;
}

/** Returns the login it replaces. */
async function replaceLogin(
  store: CredentialStore,
  { login, tokens, now }: NewLogin,
): Promise<StoredLogin | undefined> {
  let before: StoredLogin | undefined;
  await store.update((current: StoredCredentials) => {
    before = current.login;
    return { version: 1, login, tokens: { ...current.tokens, ...sessionToken(login, tokens, now) } };
  });
  return before;
}

/** The browser's access token is dropped once there is a key: it can do more than a turn needs. */
function sessionToken({ kind, origin }: StoredLogin, { accessToken, refreshToken }: SessionTokens, now: number) {
  if (kind === "key") return {};
  const token = accessToken.reveal();
  return { [tokenDigest(origin, refreshToken)]: { accessToken: token, ...tokenLifetime(token, now) } };
}
