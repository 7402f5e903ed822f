import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findForeignLogin, readForeignLogin } from "./foreign-logins.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "caret-foreign-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function keep(path: string, value: unknown): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
  return file;
}

it.each([
  ["on Linux", "cli", "linux", {}, ".config/cursor/auth.json"],
  ["on Linux, below XDG_CONFIG_HOME", "cli", "linux", { XDG_CONFIG_HOME: "xdg" }, "xdg/cursor/auth.json"],
  ["in a directory of its own", "cli", "linux", { CURSOR_CONFIG_DIR: "own" }, "own/auth.json"],
  ["in a file on macOS", "cli", "darwin", {}, ".cursor/auth.json"],
  ["on Windows", "cli", "win32", { APPDATA: "roaming" }, "roaming/Cursor/auth.json"],
  ["anywhere", "sdk", "linux", {}, ".cursor/sdk/auth.json"],
] as const)("finds the login that a program keeps %s", (_, program, platform, names, path) => {
  const env = Object.fromEntries(Object.entries(names).map(([name, directory]) => [name, join(home, directory)]));
  const options = { home, env, platform };
  const before = findForeignLogin(program, options);
  expect([before, keep(path, {}), findForeignLogin(program, options)]).toEqual([
    undefined,
    join(home, path),
    join(home, path),
  ]);
});

it("takes an API key before an access token, unless the key has expired", () => {
  const now = 1_000;
  const kinds = [
    { apiKey: "k", accessToken: "t", refreshToken: "r" },
    { apiKey: "k", apiKeyExpiresAtMs: now + 1 },
    { apiKey: "k", apiKeyExpiresAtMs: now, accessToken: "t" },
    { apiKey: "k", apiKeyExpiresAtMs: now },
    {},
    "no object",
  ].map((value) => {
    const source = readForeignLogin("sdk", keep("auth.json", value), { origin: "https://api2.cursor.sh", now });
    return source && [source.kind, source.secret.reveal(), source.keep];
  });
  expect(kinds).toEqual([
    ["key", "k", false],
    ["key", "k", false],
    ["token", "t", false],
    undefined,
    undefined,
    undefined,
  ]);
});

it("shows the SDK's key to no other server than the one it was made for", () => {
  const origins = ["https://api2.cursor.sh", "http://127.0.0.1:1"];
  const file = keep("auth.json", { apiKey: "k", backendUrl: "https://api2.cursor.sh/" });
  const kinds = origins.map((origin) => readForeignLogin("sdk", file, { origin, now: 0 })?.kind);
  expect(kinds).toEqual(["key", undefined]);
});
