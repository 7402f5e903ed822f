import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openTokenStore } from "../../tokens/open-token-store.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addTokenCommand } from "./token.ts";

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-token-")));
});
afterEach(() => rmSync(directory, { recursive: true }));

const dataDir = (): string => join(directory, "data");

function token(...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addTokenCommand, ["token", ...argv], { cwd: directory, env: { CARET_DATA_DIR: dataDir() } });
}

it("prints a new token's secret alone, which then lets its bearer in", async () => {
  const { stdout, stderr, code } = await token("create", "ci", "--scope", "turns", "--workspace", ".");
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^caret_[\w-]{43}\n$/), expect.any(String)]);
  expect(openTokenStore({ dataDir: dataDir() }).find(stdout.trim())).toEqual({
    name: "ci",
    id: expect.any(String),
    scopes: ["turns"],
    workspace: directory,
  });
});

it("lists tokens without their secrets", async () => {
  const { stdout: secret } = await token("create", "ci");
  await token("create", "laptop", "--scope", "admin");
  await token("revoke", "laptop");
  const { stdout } = await token("ls");
  expect(stdout.split("\n").map((line) => line.split("\t"))).toEqual([
    ["name", "scopes", "user", "made by", "created", "used", "workspace", "state"],
    ["ci", "turns models", "", "", "just now", "never", "", ""],
    ["laptop", "admin", "", "", "just now", "never", "", "revoked just now"],
    [""],
  ]);
  const listed = await token("ls", "--json");
  expect(JSON.parse(listed.stdout)).toEqual([
    expect.objectContaining({ name: "ci", scopes: ["turns", "models"], workspace: null, revokedAt: null }),
    expect.objectContaining({ name: "laptop", revokedAt: expect.any(Number) }),
  ]);
  expect(listed.stdout).not.toContain(secret.trim());
});

it("revokes a token, and says when there is none of that name", async () => {
  const { stdout } = await token("create", "ci", "--json");
  const { secret } = JSON.parse(stdout);
  expect((await token("revoke", "ci")).stdout).toBe("The token ci is revoked.\n");
  expect(openTokenStore({ dataDir: dataDir() }).find(secret)).toBeUndefined();
  await expect(token("revoke", "cd")).rejects.toMatchObject({ code: "not-found" });
});

it("binds no token to a directory that is not there", async () => {
  await expect(token("create", "ci", "--workspace", "nowhere")).rejects.toMatchObject({ code: "workspace-missing" });
  expect((await token("ls")).stdout).toMatch(/^There are no tokens/);
});

it("makes tokens of users and teams, and an administrator's that sees all of them", async () => {
  const { stdout: anna } = await token("create", "anna-laptop", "--user", "anna", "--team", "web");
  const { stdout: root } = await token("create", "root", "--admin");
  const store = openTokenStore({ dataDir: dataDir() });
  expect([store.find(anna.trim()), store.find(root.trim())]).toEqual([
    { name: "anna-laptop", id: expect.any(String), scopes: ["turns", "models"], user: "anna", team: "web" },
    { name: "root", id: expect.any(String), scopes: ["admin"], seesAll: true },
  ]);
  const { stdout } = await token("ls");
  expect(stdout.split("\n").map((line) => line.split("\t").slice(0, 3))).toEqual([
    ["name", "scopes", "user"],
    ["anna-laptop", "turns models", "anna (web)"],
    ["root", "admin (sees all users)", ""],
    [""],
  ]);
  await expect(token("create", "x", "--team", "web")).rejects.toMatchObject({ code: "invalid-request" });
  await expect(token("create", "x", "--user", "a b")).rejects.toMatchObject({ code: "invalid-request" });
  await expect(token("create", "x", "--store")).rejects.toMatchObject({ code: "invalid-config" });
});
