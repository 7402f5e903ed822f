import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LoginServer } from "../testing/login-server.ts";
import { type CredentialStore, openCredentialStore } from "./credential-store.ts";
import { type LogInOptions, logIn } from "./log-in.ts";
import { logOut } from "./log-out.ts";

/** The example of RFC 7636, appendix B. */
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const now = Date.UTC(2026, 10, 17);
const day = 24 * 60 * 60 * 1000;

let server: LoginServer;
let url: URL;
let directory: string;
let store: CredentialStore;
let waits: number[];
let links: string[];

beforeEach(async () => {
  server = new LoginServer();
  url = await server.listen();
  directory = mkdtempSync(join(tmpdir(), "caret-login-"));
  store = openCredentialStore(join(directory, "data"));
  waits = [];
  links = [];
});
afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

function start(overrides: Partial<LogInOptions> = {}) {
  return logIn({
    controlUrl: url,
    website: new URL("https://cursor.com"),
    store,
    fetch,
    randomBytes: () => Buffer.from(verifier, "base64url"),
    newId: () => "9f8b6a1e-0000-4000-8000-000000000000",
    wallClock: () => now,
    wait: async (ms) => waits.push(ms),
    signal: new AbortController().signal,
    onLink: (link) => links.push(link),
    ...overrides,
  });
}

/** The person logs in after this many polls. */
function loggedInAfter(polls: number): void {
  let asked = 0;
  server.answers.set("/auth/poll", () => {
    asked += 1;
    if (asked <= polls) return { status: 404, body: "Not found" };
    return { body: JSON.stringify({ accessToken: "session-access", refreshToken: "session-refresh", authId: "u" }) };
  });
}

const stored = (): unknown => JSON.parse(readFileSync(store.file, "utf8"));

describe("logging in", () => {
  it("shows a link with the challenge, polls by POST, and keeps an API key made with the login", async () => {
    loggedInAfter(2);
    const summary = await start();
    const login = {
      origin: url.origin,
      kind: "key",
      email: "ada@example.com",
      expiresAt: now + 90 * day,
    };
    expect([summary, links, waits, stored()]).toEqual([
      { ...login, note: undefined },
      [
        "https://cursor.com/loginDeepControl?challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&uuid=9f8b6a1e-0000-4000-8000-000000000000&mode=login&redirectTarget=cli",
      ],
      [1000, 1200],
      {
        version: 1,
        login: {
          ...login,
          secret: "key_made_41",
          keyName: "Caret 2026-11-17 9f8b6a1e",
          keyId: 41,
          createdAt: now,
        },
        tokens: {},
      },
    ]);
  });

  it("never puts the verifier anywhere but in the body of a poll", async () => {
    loggedInAfter(1);
    await start();
    const holding = server.seen
      .filter(({ body }) => body.includes(verifier))
      .map(({ method, url: path }) => [method, path]);
    const addresses = server.seen.map(({ url: path, authorization }) => `${path} ${authorization}`).join();
    expect([holding, addresses.includes(verifier), links.join().includes(verifier)]).toEqual([
      [
        ["POST", "/auth/poll"],
        ["POST", "/auth/poll"],
      ],
      false,
      false,
    ]);
  });

  it("keeps its file for its owner alone, in a directory for its owner alone", async () => {
    loggedInAfter(0);
    await start();
    const modes = [store.file, join(directory, "data")].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
  });

  it("keeps the refresh token where the team forbids API keys, and says so", async () => {
    loggedInAfter(0);
    server.answers.set("/aiserver.v1.DashboardService/CreateUserApiKey", () => ({ status: 403 }));
    const summary = await start();
    expect([summary.kind, summary.note, stored()]).toEqual([
      "session",
      `${url.origin} refuses CreateUserApiKey (status 403)`,
      {
        version: 1,
        login: expect.objectContaining({ kind: "session", secret: "session-refresh" }),
        tokens: {
          [Object.keys((stored() as { tokens: object }).tokens)[0] ?? ""]: expect.objectContaining({
            accessToken: "session-access",
          }),
        },
      },
    ]);
  });

  it("waits longer from poll to poll, and gives up after 150 of them", async () => {
    await expect(start()).rejects.toMatchObject({ code: "timed-out" });
    expect([waits.length, waits.slice(0, 3), Math.max(...waits)]).toEqual([150, [1000, 1200, 1440], 10_000]);
  });

  it("gives up after three failures in a row, and not before", async () => {
    const statuses = [500, 500, 404, 500, 500, 500];
    server.answers.set("/auth/poll", () => ({ status: statuses.shift() ?? 404 }));
    await expect(start()).rejects.toMatchObject({ code: "upstream-error" });
    expect(statuses).toEqual([]);
  });

  it.each([
    ["a route that is missing", 404, '{"message":"Route POST:/auth/poll not found"}'],
    ["a method that is not allowed", 405, ""],
  ])("does not fall back to GET at a server that answers with %s", async (_, status, body) => {
    server.answers.set("/auth/poll", () => ({ status, body }));
    await expect(start()).rejects.toMatchObject({ code: "unsupported" });
    expect(server.seen.map(({ method }) => method)).toEqual(["POST"]);
  });

  it("keeps nothing when it is cancelled, whenever that happens", async () => {
    const waiting = new AbortController();
    const first = start({
      signal: waiting.signal,
      wait: (_, signal) => {
        waiting.abort();
        signal.throwIfAborted();
        return Promise.resolve();
      },
    });
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    const minting = new AbortController();
    loggedInAfter(0);
    const makeKey = server.answers.get("/aiserver.v1.DashboardService/CreateUserApiKey");
    server.answers.set("/aiserver.v1.DashboardService/CreateUserApiKey", (request) => {
      minting.abort();
      return makeKey?.(request) ?? {};
    });
    await expect(start({ signal: minting.signal })).rejects.toMatchObject({ name: "AbortError" });
    expect(store.read()).toEqual({ version: 1, tokens: {} });
  });

  it.each(["https://api2.cursor.sh.example.com", "http://api2.cursor.sh", "https://user:word@api2.cursor.sh"])(
    "sends nothing to %s",
    async (address) => {
      let sent = 0;
      const counting: typeof fetch = (...request) => {
        sent += 1;
        return fetch(...request);
      };
      await expect(start({ controlUrl: new URL(address), fetch: counting })).rejects.toMatchObject({
        code: "invalid-config",
      });
      expect(sent).toBe(0);
    },
  );

  it("does not follow a redirect", async () => {
    const elsewhere = new LoginServer();
    const other = await elsewhere.listen();
    server.answers.set("/auth/poll", () => ({ status: 307, headers: { location: other.href } }));
    await expect(start()).rejects.toMatchObject({ code: "upstream-unreachable" });
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.close();
  });

  it("revokes the key of the login that it replaces", async () => {
    loggedInAfter(0);
    await start();
    await start({ newId: () => "11111111-0000-4000-8000-000000000000" });
    expect([[...server.keys.keys()], store.read().login?.secret]).toEqual([["key_made_42"], "key_made_42"]);
  });
});

describe("logging out", () => {
  it("removes the file, and revokes the key", async () => {
    loggedInAfter(0);
    await start();
    const summary = await logOut({ store, fetch });
    expect([summary, store.stamp(), [...server.keys]]).toEqual([
      { wasLoggedIn: true, revoked: true, note: undefined },
      "none",
      [],
    ]);
  });

  it("removes the file also when the server cannot be reached, and says that the key is still valid", async () => {
    loggedInAfter(0);
    await start();
    server.answers.set("/aiserver.v1.DashboardService/RevokeUserApiKey", () => ({ status: 403 }));
    expect([await logOut({ store, fetch }), store.stamp()]).toEqual([
      { wasLoggedIn: true, revoked: false, note: `${url.origin} refuses RevokeUserApiKey (status 403)` },
      "none",
    ]);
  });

  it("is nothing where nobody is logged in", async () => {
    expect(await logOut({ store, fetch })).toEqual({ wasLoggedIn: false, revoked: false, note: undefined });
  });
});
