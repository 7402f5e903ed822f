import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "@caret/fleet/testing/postgres-server.ts";
import { openSqliteEventStore } from "@caret/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Config } from "../../config/config-schema.ts";
import { knownSecrets } from "../../engine/known-secrets.ts";
import { addSessionsCommand } from "../sessions/sessions.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addStoreCommand } from "./store.ts";

let server: PostgresServer;
let directory: string;
let url: string;

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-store-command-")));
  server = await startPostgres();
  url = server.createDatabase("fleet").replace("caret@", "caret:pa55word@");
  const store = openSqliteEventStore({ directory: join(directory, "data"), role: "gateway", now: () => 1 });
  for (const id of ["s1", "s2"]) {
    await store.createSession({ id, workspace: "/projects/one", createdAt: 1 });
    await store.append(id, 0, [{ turnId: "t1", event: { type: "text-delta", blockId: "b1", text: id } }]);
  }
  await store.close();
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

function store(...argv: readonly string[]): Promise<Tried> {
  const env = { CARET_DATA_DIR: join(directory, "data"), CARET_STORE: url };
  return tryCommand(addStoreCommand, ["store", ...argv], { cwd: directory, env });
}

it("copies the data directory to the database of the settings and back, and never prints its password", async () => {
  const there = await store("migrate", "--from", "local", "--to", "store");
  expect([there.code, there.stderr]).toEqual([0, "1/2 s1: 1 events\n2/2 s2: 1 events\n"]);
  expect(there.stdout).toMatch(/^Copied 2 sessions with 2 events from .* to .*\/fleet\. All are the same in both\.\n$/);
  const again = await store("migrate", "--from", "local", "--to", "store", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ sessions: 2, found: 2, events: 2 });
  const back = await store("migrate", "--from", "store", "--to", "copy", "--json");
  expect(JSON.parse(back.stdout)).toMatchObject({ sessions: 2, found: 0, events: 2 });
  const verified = await store("verify", "local", "--against", "copy", "--json");
  const [one, other] = JSON.parse(verified.stdout);
  expect([verified.code, { ...one, place: "" }]).toEqual([0, { ...other, place: "" }]);
  const all = [there, again, back, verified].map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(all).not.toContain("pa55word");
});

it("lets the other commands look at the database of the settings", async () => {
  await store("migrate", "--from", "local", "--to", "store");
  const env = { CARET_DATA_DIR: join(directory, "empty"), CARET_STORE: url };
  const { stdout, code } = await tryCommand(addSessionsCommand, ["sessions", "ls", "--json"], { cwd: directory, env });
  expect([code, JSON.parse(stdout).map(({ id }: { readonly id: string }) => id)]).toEqual([0, ["s1", "s2"]]);
});

it("keeps the password of the store, and the fleet's key, out of what is kept", () => {
  const config = { cli: { env: {} }, store: "postgres://a:b%40cd@h/d", fleet: { key: "k".repeat(32) } };
  const secrets = knownSecrets({ env: {} }, config as unknown as Config).map((secret) => secret.reveal());
  expect(secrets).toEqual(["k".repeat(32), "b%40cd", "b@cd"]);
});

it("verifies the database of the settings where no place is named, and the data directory where there is none", async () => {
  await store("migrate", "--from", "local", "--to", "store");
  const placeOf = (tried: Tried): unknown => JSON.parse(tried.stdout).place;
  expect(placeOf(await store("verify", "--json"))).toMatch(/\/fleet$/);
  const env = { CARET_DATA_DIR: join(directory, "data") };
  const local = await tryCommand(addStoreCommand, ["store", "verify", "--json"], { cwd: directory, env });
  expect(placeOf(local)).toBe(join(directory, "data"));
});

it("exits with 1 when two stores differ", async () => {
  await store("migrate", "--from", "local", "--to", "changed");
  const changed = openSqliteEventStore({ directory: join(directory, "changed"), role: "gateway" });
  await changed.updateSession("s1", { title: "Another" });
  await changed.close();
  const { code, stderr } = await store("verify", "local", "--against", "changed");
  expect([code, stderr]).toEqual([1, "caret: events are missing, or the stores differ\n"]);
});

it("reads no log that is not there, and makes none under a mistyped name", async () => {
  const typo = join(directory, "dta");
  const missing = { code: "not-found", message: `There is no log in ${typo}` };
  await expect(store("verify", typo)).rejects.toMatchObject(missing);
  await expect(store("migrate", "--from", typo, "--to", "another")).rejects.toMatchObject(missing);
  expect(["dta", "another"].map((name) => existsSync(join(directory, name)))).toEqual([false, false]);
});

it("says that the server is away without the address in it", async () => {
  const away = "postgres://caret:pa55word@localhost/fleet?host=/nowhere";
  const refused = await store("init", away).catch((reason: unknown) => reason);
  expect(refused).toMatchObject({ code: "storage-failed", message: expect.stringMatching(/cannot be reached/) });
  expect(JSON.stringify(refused)).not.toContain("pa55word");
});

it("makes the tables, and prints roles for the schema of the settings", async () => {
  expect((await store("init", `${url}&schema=other`, "--json")).code).toBe(0);
  expect((await store("roles", "--print")).stdout).toContain("create role caret_gateway login;");
});
