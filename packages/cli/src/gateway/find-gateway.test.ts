import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FindGatewayOptions, findGateway } from "./find-gateway.ts";
import { type GatewayLock, lockFilePath, removeLockFile, writeLockFile } from "./gateway-lock.ts";

let dataDir: string;
let server: Server;
let lock: GatewayLock;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "caret-lock-"));
  server = createServer((request, response) => response.writeHead(request.url === "/healthz" ? 200 : 404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  lock = {
    url: `http://127.0.0.1:${port}`,
    pid: 4711,
    startTime: "99",
    version: "1.0.0",
    tokenFile: null,
    socket: null,
    settings: {},
  };
  writeLockFile(dataDir, lock);
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(dataDir, { recursive: true });
});

const find = (changes: Partial<FindGatewayOptions> = {}) =>
  findGateway({ dataDir, uid: process.getuid?.(), version: "1.0.0", env: {}, isAlive: () => true, ...changes });

it("uses the gateway of the same user and version that lives and answers", async () => {
  const asked: unknown[] = [];
  const isAlive = (process: unknown): boolean => asked.push(process) > 0;
  expect(await find({ isAlive })).toEqual({ kind: "reuse", gateway: lock });
  expect([asked, statSync(lockFilePath(dataDir)).mode & 0o777]).toEqual([[{ pid: 4711, startTime: "99" }], 0o600]);
});

it.each([
  ["another version", { version: "1.0.1" }, "the running gateway is of version 1.0.0, not 1.0.1"],
  ["a process that is gone", { isAlive: () => false }, "the last gateway has ended"],
  ["another user", { uid: 12_345 }, "no gateway runs for this data directory"],
  ["a variable", { env: { CURSOR_ACP_REUSE_EXISTING_PROXY: "false" } }, "CURSOR_ACP_REUSE_EXISTING_PROXY forbids it"],
])("does not use a gateway because of %s", async (_, changes, why) => {
  expect(await find(changes)).toMatchObject({ kind: "none", why });
});

it("does not use a gateway that does not answer", async () => {
  await new Promise((resolve) => server.close(resolve));
  expect(await find()).toEqual({ kind: "none", why: `the gateway at ${lock.url} does not answer` });
});

it("does not trust a lock file that others can write, or that says nothing it knows", async () => {
  chmodSync(lockFilePath(dataDir), 0o666);
  expect(await find()).toMatchObject({ kind: "none" });
  chmodSync(lockFilePath(dataDir), 0o600);
  writeFileSync(lockFilePath(dataDir), JSON.stringify({ ...lock, url: "file:///etc/passwd" }));
  expect(await find()).toMatchObject({ kind: "none", why: "no gateway runs for this data directory" });
});

it("removes its own lock file and not its successor's", () => {
  removeLockFile(dataDir, process.getuid?.(), 1);
  expect(existsSync(lockFilePath(dataDir))).toBe(true);
  removeLockFile(dataDir, process.getuid?.(), 4711);
  expect(existsSync(lockFilePath(dataDir))).toBe(false);
});
