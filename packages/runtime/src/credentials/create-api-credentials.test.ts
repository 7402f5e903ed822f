import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CaretError, Secret } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LoginServer } from "../testing/login-server.ts";
import { type ApiCredentialsOptions, createApiCredentials } from "./create-api-credentials.ts";
import type { CredentialSource } from "./credential-source.ts";
import { type CredentialStore, openCredentialStore } from "./credential-store.ts";
import type { AccessToken, ApiCredentials } from "./credentials.ts";

const hour = 3_600_000;
const key = "key_0123456789";
const source: CredentialSource = {
  kind: "key",
  secret: new Secret(key),
  keep: true,
  name: "the profile work",
  fix: "Write another key.",
};
const exchange = "/auth/exchange_user_api_key";
const { signal } = new AbortController();

let server: LoginServer;
let url: URL;
let directory: string;
let store: CredentialStore;
let now: number;
let noted: string[];

beforeEach(async () => {
  server = new LoginServer();
  server.keys.set(key, 1);
  url = await server.listen();
  directory = mkdtempSync(join(tmpdir(), "caret-credentials-"));
  store = openCredentialStore(directory);
  now = Date.now();
  noted = [];
});
afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

function open(overrides: Partial<ApiCredentialsOptions> = {}): ApiCredentials {
  return createApiCredentials({
    controlUrl: url,
    find: async () => source,
    store,
    fetch,
    noteSecrets: (secrets) => noted.push(...secrets.map((secret) => secret.reveal())),
    wallClock: () => now,
    ...overrides,
  });
}

const reveal = async (token: Promise<AccessToken>): Promise<string> => (await token).secret.reveal();

/** The error shown to a person if no token can be obtained. */
async function refusal(token: Promise<AccessToken>) {
  const reason = await token.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!CaretError.is(reason)) throw new Error("there was a token", { cause: reason });
  const { code, message, fix } = reason;
  return { code, message: message.replaceAll(url.origin, "the server"), fix };
}

describe("access tokens", () => {
  it("are exchanged once for a hundred callers, the key only ever in a header", async () => {
    const credentials = open();
    const tokens = await Promise.all(Array.from({ length: 100 }, () => reveal(credentials.accessToken(signal))));
    expect([new Set(tokens).size, server.seen.map(({ url: path, authorization }) => [path, authorization])]).toEqual([
      1,
      [[exchange, `Bearer ${key}`]],
    ]);
  });

  it("are exchanged once for two processes that start together", async () => {
    const program = fileURLToPath(new URL("./testing/token-process.ts", import.meta.url));
    const run = () => promisify(execFile)(process.execPath, [program, url.href, directory, key]);
    const [first, second] = await Promise.all([run(), run()]);
    expect([server.paths(), JSON.parse(first.stdout).length, second.stdout]).toEqual([[exchange], 1, first.stdout]);
  });

  it("are renewed before they expire, and used again until then", async () => {
    const credentials = open();
    const first = await reveal(credentials.accessToken(signal));
    now += hour - 6 * 60_000;
    const second = await reveal(credentials.accessToken(signal));
    now += 2 * 60_000;
    const third = await reveal(credentials.accessToken(signal));
    expect([second === first, third === first, server.seen.length]).toEqual([true, false, 2]);
  });

  it("last half their life when that is short, and half an hour when they do not say", async () => {
    server.answers.set(exchange, () => ({ body: JSON.stringify({ accessToken: server.newToken(120_000, now) }) }));
    await open().accessToken(signal);
    server.answers.set(exchange, () => ({ body: '{"accessToken":"opaque"}' }));
    await open({ find: async () => ({ ...source, secret: new Secret("other") }) }).accessToken(signal);
    const lives = Object.values(store.read().tokens).map(({ refreshAt, expiresAt }) => [
      refreshAt - now,
      expiresAt - now,
    ]);
    expect(lives).toEqual([
      [60_000, 120_000],
      [25 * 60_000, 30 * 60_000],
    ]);
  });

  it("are not shortened by a clock that is wrong", async () => {
    now -= 5 * hour;
    await open().accessToken(signal);
    const [token] = Object.values(store.read().tokens);
    expect(Math.round(((token?.expiresAt ?? 0) - now) / 1000)).toBe(3600);
  });

  it("are replaced once when upstream rejects them, however many callers say so", async () => {
    const credentials = open();
    const rejected = await credentials.accessToken(signal);
    const others = await Promise.all(
      Array.from({ length: 100 }, () => reveal(credentials.replaceRejected(rejected, signal))),
    );
    expect([new Set(others).size, others[0] === rejected.secret.reveal(), server.seen.length]).toEqual([1, false, 2]);
  });

  it("are not exchanged again for a late caller whose token has been replaced already", async () => {
    const credentials = open();
    const rejected = await credentials.accessToken(signal);
    const replaced = await reveal(credentials.replaceRejected(rejected, signal));
    expect([(await reveal(credentials.replaceRejected(rejected, signal))) === replaced, server.seen.length]).toEqual([
      true,
      2,
    ]);
  });

  it("fail for all callers together when the key is refused, with whose key it was and without the key", async () => {
    server.keys.clear();
    const credentials = open();
    const refusals = await Promise.all([1, 2, 3].map(() => refusal(credentials.accessToken(signal))));
    const expected = {
      code: "bad-key",
      message: "the server does not accept the key of the profile work",
      fix: "Write another key.",
    };
    expect([refusals, server.seen.length]).toEqual([[expected, expected, expected], 1]);
  });

  it.each([
    ["429", { status: 429, headers: { "retry-after": "7" } }, "rate-limited"],
    ["503", { status: 503 }, "upstream-unreachable"],
    ["404", { status: 404 }, "bad-key"],
    ["a page", { body: "<html>" }, "protocol-drift"],
    ["a redirect", { status: 302, headers: { location: "https://example.com/" } }, "upstream-unreachable"],
    ["too much", { body: "x".repeat(300_000) }, "too-large"],
  ])("cannot be had while the server answers with %s", async (_, answer, code) => {
    server.answers.set(exchange, () => answer);
    expect((await refusal(open().accessToken(signal))).code).toBe(code);
  });

  it("are used on while they are valid when a renewal fails, and tried again a minute later", async () => {
    const credentials = open();
    const first = await reveal(credentials.accessToken(signal));
    server.answers.set(exchange, () => ({ status: 503 }));
    now += hour - 4 * 60_000;
    const second = await reveal(credentials.accessToken(signal));
    await credentials.accessToken(signal);
    now += 60_000;
    await credentials.accessToken(signal);
    now += 4 * 60_000;
    const last = await refusal(credentials.accessToken(signal));
    expect([second === first, server.seen.length, last.code]).toEqual([true, 4, "upstream-unreachable"]);
  });

  it("are no longer given out after a logout in another process", async () => {
    let isLoggedIn = true;
    const find = async (): Promise<CredentialSource> => {
      if (isLoggedIn) return source;
      throw new CaretError("not-logged-in", "Nobody is logged in");
    };
    const credentials = open({ find });
    await credentials.accessToken(signal);
    isLoggedIn = false;
    await store.clear();
    expect((await refusal(credentials.accessToken(signal))).code).toBe("not-logged-in");
  });

  it.each([
    ["replaced", async () => ({ ...source, secret: new Secret("key_of_another") })],
    ["taken away", () => Promise.reject(new CaretError("not-logged-in", "There is no key"))],
    ["replaced by one that is no good", async () => ({ ...source, secret: new Secret("key_unknown") })],
  ] as const)("are never given out for a key that was %s", async (_, findNow) => {
    server.keys.set("key_of_another", 2);
    let find: () => Promise<CredentialSource> = async () => source;
    const credentials = open({ find: () => find() });
    const first = await credentials.accessToken(signal);
    find = findNow;
    const second = await credentials.accessToken(signal).catch(() => undefined);
    find = async () => source;
    const third = await credentials.accessToken(signal);
    expect([
      second?.secret.reveal() === first.secret.reveal(),
      second?.madeFrom === first.madeFrom,
      third.secret.reveal() === first.secret.reveal(),
      third.madeFrom === first.madeFrom,
    ]).toEqual([false, false, true, true]);
  });

  it("of another key are asked for while the exchange of the former one is still under way", async () => {
    const answered = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    server.answers.set(exchange, async ({ authorization }) => {
      asked.resolve();
      if (authorization === `Bearer ${key}`) await answered.promise;
      return { body: JSON.stringify({ accessToken: `for_${authorization?.slice(7)}` }) };
    });
    let secret = new Secret(key);
    const credentials = open({ find: async () => ({ ...source, keep: false, secret }) });
    const first = reveal(credentials.accessToken(signal));
    await asked.promise;
    secret = new Secret("key_of_another");
    const second = await reveal(credentials.accessToken(signal));
    answered.resolve();
    expect([await first, second]).toEqual([`for_${key}`, "for_key_of_another"]);
  });

  it("let one caller leave without failing the others", async () => {
    const answered = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    server.answers.set(exchange, async () => {
      asked.resolve();
      await answered.promise;
      return { body: JSON.stringify({ accessToken: "the-token" }) };
    });
    const credentials = open();
    const leaving = new AbortController();
    const left = refusal(credentials.accessToken(leaving.signal));
    const stays = reveal(credentials.accessToken(signal));
    await asked.promise;
    leaving.abort(new CaretError("cancelled", "The client left"));
    expect((await left).code).toBe("cancelled");
    answered.resolve();
    expect(await stays).toBe("the-token");
  });

  it("are known to the redactor, and so are the keys", async () => {
    const token = await reveal(open().accessToken(signal));
    expect(noted).toEqual([key, token]);
  });

  it("are refused while the file is damaged, without quoting it", async () => {
    writeFileSync(store.file, '{"login": "secret-word');
    const shown = await refusal(open().accessToken(signal));
    expect([shown.code, JSON.stringify(shown).includes("secret-word")]).toEqual(["storage-failed", false]);
  });
});

describe("a login of another program", () => {
  const foreign = (kind: "key" | "token", secret: string) => async (): Promise<CredentialSource> => ({
    kind,
    secret: new Secret(secret),
    keep: false,
    name: "Cursor's SDK",
    fix: "Log in there.",
  });

  it("is used without anything of it being kept", async () => {
    const token = await reveal(open({ find: foreign("key", key) }).accessToken(signal));
    const raw = server.newToken(hour, now);
    expect([
      await reveal(open({ find: foreign("token", raw) }).accessToken(signal)),
      store.stamp(),
      token === "",
    ]).toEqual([raw, "none", false]);
  });

  it("is refused when its token has expired or was rejected, since refreshing it is the other program's affair", async () => {
    const expired = open({ find: foreign("token", server.newToken(hour, now - 2 * hour)) });
    const raw = server.newToken(hour, now);
    const rejected = open({ find: foreign("token", raw) });
    expect([
      await refusal(expired.accessToken(signal)),
      await refusal(rejected.replaceRejected(await rejected.accessToken(signal), signal)),
    ]).toEqual([
      { code: "not-logged-in", message: "The access token of Cursor's SDK has expired", fix: "Log in there." },
      {
        code: "not-logged-in",
        message: "Cursor does not accept the access token of Cursor's SDK",
        fix: "Log in there.",
      },
    ]);
  });
});

it("never writes the key that a token was exchanged for", async () => {
  await open().accessToken(signal);
  expect(readFileSync(store.file, "utf8")).not.toContain(key);
});
