import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoginServer } from "@caret/runtime/testing/login-server.ts";
import { createSelfSigned, startUpstream } from "@caret/simulator/upstream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AddCommand } from "../index.ts";
import { type Trial, type Tried, tryCommand } from "../testing/try-command.ts";
import { addAuthCommand } from "./auth.ts";
import { addLoginCommand } from "./login.ts";
import { addLogoutCommand } from "./logout.ts";

let server: LoginServer;
let url: URL;
let directory: string;

beforeEach(async () => {
  server = new LoginServer();
  url = await server.listen();
  directory = mkdtempSync(join(tmpdir(), "caret-auth-"));
});
afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

function run(add: AddCommand, argv: readonly string[], trial: Partial<Trial> = {}): Promise<Tried> {
  const env = { CURSOR_AGENT_URL: url.href, CARET_DATA_DIR: join(directory, "data"), PATH: "", ...trial.env };
  return tryCommand(add, argv, { cwd: directory, ...trial, env });
}

const login = (trial?: Partial<Trial>, ...argv: readonly string[]): Promise<Tried> =>
  run(addLoginCommand, ["login", ...argv], trial);
const auth = (trial?: Partial<Trial>, ...argv: readonly string[]): Promise<Tried> =>
  run(addAuthCommand, ["auth", ...argv], trial);

function personLogsIn(): void {
  server.answers.set("/auth/poll", () => ({
    body: '{"accessToken":"session-access","refreshToken":"session-refresh"}',
  }));
}

/** The part of `caret auth --json` about one kind of credential. */
async function worlds(trial?: Partial<Trial>, ...argv: readonly string[]) {
  const { stdout, code } = await auth(trial, "--json", ...argv);
  const all = JSON.parse(stdout) as readonly {
    kind: string;
    found: boolean;
    lanes: readonly string[];
    check: unknown;
  }[];
  return { code, all, found: all.filter(({ found }) => found) };
}

describe("caret login", () => {
  it("prints a link, waits, and says who is logged in until when", async () => {
    personLogsIn();
    const { code, stdout } = await login();
    const [link] = stdout.match(/\S+loginDeepControl\S+/) ?? [];
    expect([code, stdout.replace(link ?? "", "LINK")]).toEqual([
      0,
      expect.stringMatching(
        /^Open this link in a browser and log in to Cursor:\n\n {2}LINK\n\nWaiting for the login; Ctrl-C stops.\n. Logged in as ada@example.com\n {2}An API key was made for Caret, which is valid until \d{4}-\d\d-\d\d. `caret logout` revokes it.\n$/,
      ),
    ]);
  });

  it("says when a variable comes before the login", async () => {
    personLogsIn();
    const { stdout } = await login({ env: { CURSOR_API_KEY: "key_of_the_environment" } });
    expect(stdout).toContain("CURSOR_API_KEY is set and comes before this login: unset it to use the login.");
  });

  it("prints one JSON object a line with --json, and no secret", async () => {
    personLogsIn();
    const { stdout } = await login({}, "--json");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([lines, /session-|key_made/.test(stdout)]).toEqual([
      [
        { event: "link", url: expect.stringContaining(`${url.origin}/loginDeepControl?challenge=`) },
        {
          event: "logged-in",
          server: url.origin,
          kind: "key",
          email: "ada@example.com",
          expiresAt: expect.any(Number),
          note: null,
        },
      ],
      false,
    ]);
  });

  it("ends by Ctrl-C with 130, and keeps nothing", async () => {
    const { code, stderr } = await login({
      watch: (stdout, signal) => {
        if (stdout.includes("Ctrl-C")) signal("SIGINT");
      },
    });
    expect([code, stderr, (await worlds()).found]).toEqual([
      130,
      "caret: the login was cancelled; nothing was kept\n",
      [],
    ]);
  });

  it("opens the link in a browser when Enter is pressed in a terminal", async () => {
    const bin = join(directory, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > "${directory}/opened"\n`);
    chmodSync(join(bin, "xdg-open"), 0o755);
    const { stdout } = await login({
      env: { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ":0" },
      isTerminal: true,
      watch: (text, _, type) => {
        if (text.endsWith("Enter opens it here; Ctrl-C stops.\n")) type("");
        if (text.includes("Waiting for the login in the browser")) personLogsIn();
      },
    });
    const [link] = stdout.match(/\S+loginDeepControl\S+/) ?? [];
    await vi.waitFor(() => expect(readFileSync(join(directory, "opened"), "utf8")).toBe(link));
  });

  it.each(["CURSOR_AGENT_URL", "CARET_API_URL", "PI_CURSOR_AGENT_URL", "CURSOR_API_ENDPOINT", "CURSOR_WEBSITE_URL"])(
    "refuses a foreign host in %s before anything is sent",
    async (variable) => {
      const trial = { env: { [variable]: "https://cursor.sh.example.com" } };
      for (const attempt of [login(trial), auth(trial, "--check")])
        await expect(attempt).rejects.toMatchObject({ code: "invalid-config" });
      expect(server.seen).toEqual([]);
    },
  );
});

describe("caret logout", () => {
  it("forgets the login and revokes its key", async () => {
    personLogsIn();
    await login();
    const { stdout } = await run(addLogoutCommand, ["logout"]);
    expect([stdout, (await worlds()).found, [...server.keys]]).toEqual([
      "Logged out. The API key is revoked.\n",
      [],
      [],
    ]);
  });

  it("says what it did as JSON, also where nobody was logged in", async () => {
    const { stdout } = await run(addLogoutCommand, ["logout", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ wasLoggedIn: false, revoked: false, note: null });
  });
});

describe("caret auth", () => {
  it("lists every place where a credential may be, without reading any", async () => {
    const { all, code } = await worlds();
    expect([code, all.map(({ kind, found }) => [kind, found]), server.seen]).toEqual([
      0,
      [
        ["key", false],
        ["token", false],
        ["caret", false],
        ["cli", false],
        ["sdk", false],
      ],
      [],
    ]);
  });

  it("shows the login of caret login with its account, and checks it by a call", async () => {
    personLogsIn();
    await login();
    const { found } = await worlds({}, "--check");
    expect(found).toEqual([
      {
        kind: "caret",
        place: join(directory, "data", "credentials.json"),
        found: true,
        lanes: ["api"],
        account: "ada@example.com",
        expiresAt: expect.any(Number),
        check: { state: "works", detail: "accepted, as ada@example.com", fix: null },
      },
    ]);
  });

  it("says which key does not work, ends with 1, and does not print the key", async () => {
    const { stdout, code } = await auth({ env: { CURSOR_API_KEY: "key_that_is_wrong" } }, "--check");
    expect([code, stdout.includes("key_that_is_wrong"), stdout.split("\n")]).toEqual([
      1,
      false,
      expect.arrayContaining([
        [
          "API key",
          "CURSOR_API_KEY",
          "found",
          "cli api",
          `fails: ${url.origin} does not accept the key of CURSOR_API_KEY`,
        ].join("\t"),
      ]),
    ]);
  });

  it("takes an access token that was revoked since for a key that works", async () => {
    server.keys.set("key_good", 1);
    const trial = { env: { CURSOR_API_KEY: "key_good" } };
    await worlds(trial, "--check");
    let asked = 0;
    const getMe = server.answers.get("/aiserver.v1.DashboardService/GetMe");
    server.answers.set("/aiserver.v1.DashboardService/GetMe", (request) => {
      asked += 1;
      return asked === 1 ? { status: 401 } : (getMe?.(request) ?? {});
    });
    const { found } = await worlds(trial, "--check");
    expect(found.map(({ check }) => check)).toEqual([
      { state: "works", detail: "accepted, as ada@example.com", fix: null },
    ]);
  });

  it("reads the SDK's login only when a flag says so, and keeps nothing of it", async () => {
    const file = join(directory, ".cursor", "sdk", "auth.json");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, JSON.stringify({ version: 1, apiKey: "key_of_the_sdk", backendUrl: url.origin }));
    server.keys.set("key_of_the_sdk", 9);
    const unread = await worlds({}, "--check");
    const seen = server.seen.length;
    const read = await worlds({}, "--check", "--read", "sdk");
    const kept = await worlds({ env: { CARET_API_READ_LOGINS: '["sdk"]' } });
    const world = { kind: "sdk", place: file, found: true, account: null, expiresAt: null };
    expect([unread.found, seen, read.found, kept.found.map(({ lanes }) => lanes)]).toEqual([
      [{ ...world, lanes: [], check: { state: "untried", detail: "not read", fix: "caret auth --check --read sdk" } }],
      0,
      [{ ...world, lanes: [], check: { state: "works", detail: "accepted, as ada@example.com", fix: null } }],
      [["api"]],
    ]);
    expect(() => readFileSync(join(directory, "data", "credentials.json"))).toThrow("ENOENT");
  });

  it("shows profiles, and checks the key of each", async () => {
    const key = join(directory, "key");
    writeFileSync(key, "key_of_work\n", { mode: 0o600 });
    server.keys.set("key_of_work", 3);
    const profiles = JSON.stringify({ work: { apiKeyFile: key }, home: { configDir: directory } });
    const { found } = await worlds({ env: { CARET_PROFILES: profiles } }, "--check");
    expect(found).toEqual([
      expect.objectContaining({
        place: "profiles.work",
        lanes: ["cli", "api"],
        check: { state: "works", detail: "accepted, as ada@example.com", fix: null },
      }),
    ]);
  });
});

describe("against the simulated upstream", () => {
  it("trusts a server of one's own by the certificates of api.caFile, and by nothing else", async () => {
    const tls = createSelfSigned({ names: ["localhost", "127.0.0.1"] });
    const upstream = await startUpstream({ tls });
    const caFile = join(directory, "ca.pem");
    writeFileSync(caFile, tls.cert);
    const env = { CURSOR_AGENT_URL: upstream.secureUrl, CURSOR_API_KEY: "key_x" };
    const trusted = await worlds({ env: { ...env, CARET_API_CA_FILE: caFile } }, "--check");
    rmSync(join(directory, "data"), { recursive: true });
    const untrusted = await worlds({ env }, "--check");
    await upstream.close();
    expect([trusted.found.map(({ check }) => check), untrusted.found.map(({ check }) => check)]).toEqual([
      [{ state: "works", detail: "accepted, as ada@example.com", fix: null }],
      [expect.objectContaining({ state: "fails", fix: expect.stringContaining("certificate") })],
    ]);
  });

  it("logs in, uses the key that was made, and revokes it when it logs out", async () => {
    const upstream = await startUpstream();
    const env = { CURSOR_AGENT_URL: upstream.url };
    const { stdout } = await login({
      env,
      watch: (text) => {
        const [link] = text.match(/\S+loginDeepControl\S+/) ?? [];
        // The person follows the link in a browser.
        if (link !== undefined && !text.includes("Logged in")) void fetch(link);
      },
    });
    const checked = await worlds({ env }, "--check");
    const out = await run(addLogoutCommand, ["logout", "--json"], { env });
    const paths = upstream.records.map((record) => String(record["path"] ?? ""));
    await upstream.close();
    expect([stdout, checked.found.map(({ check }) => check), JSON.parse(out.stdout)]).toEqual([
      expect.stringContaining("Logged in as ada@example.com"),
      [{ state: "works", detail: "accepted, as ada@example.com", fix: null }],
      { wasLoggedIn: true, revoked: true, note: null },
    ]);
    expect(paths.filter((path) => path.includes("verifier"))).toEqual([]);
  });
});
