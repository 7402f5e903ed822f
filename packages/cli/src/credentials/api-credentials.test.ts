import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { openCredentialStore } from "@caret/runtime";
import { LoginServer } from "@caret/runtime/testing/login-server.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import type { Host } from "../host/host.ts";
import { openApiCredentials } from "./api-credentials.ts";

const { signal } = new AbortController();
let server: LoginServer;
let url: URL;
let home: string;

beforeEach(async () => {
  server = new LoginServer();
  url = await server.listen();
  home = mkdtempSync(join(tmpdir(), "caret-order-"));
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

function keep(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** All credentials that there can be, which each case takes some away from. */
async function fill(): Promise<Record<string, string>> {
  for (const key of ["key_profile", "key_work", "key_env", "key_login", "key_sdk"]) server.keys.set(key, 1);
  keep(".cursor/sdk/auth.json", JSON.stringify({ version: 1, apiKey: "key_sdk" }));
  keep(".config/cursor/auth.json", JSON.stringify({ accessToken: "token-of-the-cli", refreshToken: "r" }));
  await openCredentialStore(join(home, "data")).update(() => ({
    version: 1,
    login: { origin: url.origin, kind: "key", secret: "key_login", createdAt: 0 },
    tokens: {},
  }));
  const profiles = {
    default: { apiKeyFile: keep("keys/default", "key_profile\n") },
    work: { apiKeyFile: keep("keys/work", "key_work\n") },
    bare: { configDir: home },
  };
  return {
    CARET_DATA_DIR: join(home, "data"),
    CARET_PROFILES: JSON.stringify(profiles),
    CARET_API_READ_LOGINS: '["cli","sdk"]',
    CURSOR_API_KEY: "key_env",
    CURSOR_AUTH_TOKEN: "token-of-the-environment",
  };
}

/** What the credential in use sends: the key to exchange, or the access token itself. */
async function used(env: Record<string, string>, profile = "default"): Promise<string> {
  const before = server.seen.length;
  const stream = new PassThrough();
  const from = { env, home, cwd: home, platform: "linux" as const, uid: process.getuid?.() };
  const streams = { stdin: stream, stdout: stream, stderr: stream, onSignal: () => () => undefined };
  const host: Host = { ...from, ...streams, argv: [], command: "caret" };
  const { config } = loadConfig({ ...from, flags: {}, readFile: () => undefined });
  const credentials = openApiCredentials(host, config, { controlUrl: url, profile, noteSecrets: () => undefined });
  const { secret } = await credentials.accessToken(signal);
  return server.seen[before]?.authorization?.replace("Bearer ", "") ?? secret.reveal();
}

it("takes the profile's key, then the variables, then caret login, then what the user said may be read", async () => {
  const env = await fill();
  const without = (...names: readonly string[]): Record<string, string> =>
    Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
  const order = [await used(env), await used(without("CARET_PROFILES"))];
  order.push(await used(without("CARET_PROFILES", "CURSOR_API_KEY")));
  order.push(await used(without("CARET_PROFILES", "CURSOR_API_KEY", "CURSOR_AUTH_TOKEN")));
  await openCredentialStore(join(home, "data")).clear();
  const bare = without("CARET_PROFILES", "CURSOR_API_KEY", "CURSOR_AUTH_TOKEN");
  order.push(await used(bare), await used({ ...bare, CARET_API_READ_LOGINS: '["sdk"]' }));
  expect(order).toEqual([
    "key_profile",
    "key_env",
    "token-of-the-environment",
    "key_login",
    "token-of-the-cli",
    "key_sdk",
  ]);
});

it("reads no login of another program unless the user said so", async () => {
  const { CARET_DATA_DIR } = await fill();
  await openCredentialStore(join(home, "data")).clear();
  await expect(used({ CARET_DATA_DIR: CARET_DATA_DIR ?? "" })).rejects.toMatchObject({
    code: "not-logged-in",
    fix: "Run `caret login`, or set CURSOR_API_KEY; `caret auth` lists the credentials that were found.",
  });
});

it("lets nothing take the place of a named profile", async () => {
  const env = await fill();
  expect(await used(env, "work")).toBe("key_work");
  await expect(used(env, "bare")).rejects.toMatchObject({ code: "not-logged-in" });
  await expect(used(env, "none")).rejects.toMatchObject({
    code: "invalid-config",
    message: "There is no profile none",
  });
});

it("does not use a login that was made at another server, or that has expired", async () => {
  await fill();
  const env = { CARET_DATA_DIR: join(home, "data") };
  const store = openCredentialStore(join(home, "data"));
  const change = (login: object): Promise<unknown> =>
    store.update((current) => ({ ...current, login: { ...current.login, ...login } as never }));
  await change({ origin: "https://api2.cursor.sh" });
  await expect(used(env)).rejects.toMatchObject({ message: "The api lane has no login" });
  await change({ origin: url.origin, expiresAt: 1 });
  await expect(used(env)).rejects.toMatchObject({ message: "The key of `caret login` has expired" });
  expect(server.seen).toEqual([]);
});
