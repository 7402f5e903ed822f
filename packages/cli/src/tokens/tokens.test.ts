import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createToken, revokeToken } from "./change-tokens.ts";
import { ensureDefaultToken } from "./default-token.ts";
import { openTokenStore } from "./open-token-store.ts";
import { readTokenFile } from "./token-file.ts";
import { readTokenUses } from "./token-uses.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "caret-tokens-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const modeOf = (name: string): number => statSync(join(dataDir, name)).mode & 0o777;

it("knows a token by its secret, of which it keeps only the digest", async () => {
  const store = openTokenStore({ dataDir });
  const { secret } = await createToken(dataDir, { name: "ci", scopes: ["turns"], workspace: "/srv" });
  expect([store.find(secret.reveal()), store.find("caret_wrong"), store.find("")]).toEqual([
    { name: "ci", id: expect.any(String), scopes: ["turns"], workspace: "/srv" },
    undefined,
    undefined,
  ]);
  const text = readFileSync(join(dataDir, "tokens.json"), "utf8");
  expect({ holdsSecret: text.includes(secret.reveal()), mode: modeOf("tokens.json") }).toEqual({
    holdsSecret: false,
    mode: 0o600,
  });
});

it("refuses a token from the moment it is revoked", async () => {
  const store = openTokenStore({ dataDir });
  const { secret } = await createToken(dataDir, { name: "ci", scopes: ["turns"] });
  const before = store.find(secret.reveal())?.name;
  await revokeToken(dataDir, "ci", () => 7);
  expect([before, store.find(secret.reveal())]).toEqual(["ci", undefined]);
  expect(readTokenFile(dataDir)).toMatchObject([{ name: "ci", revokedAt: 7 }]);
});

it("lets nobody in when its file is damaged, and says so once", async () => {
  const errors: string[] = [];
  const store = openTokenStore({ dataDir, onError: ({ code }) => errors.push(code) });
  const { secret } = await createToken(dataDir, { name: "ci", scopes: ["turns"] });
  writeFileSync(join(dataDir, "tokens.json"), "{");
  expect([store.find(secret.reveal()), store.find(secret.reveal()), errors]).toEqual([
    undefined,
    undefined,
    ["storage-failed"],
  ]);
});

it("loses no change when many are made at once", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
  await Promise.all(names.map((name) => createToken(dataDir, { name, scopes: ["turns"] })));
  await Promise.all(names.slice(10).map((name) => revokeToken(dataDir, name)));
  const tokens = readTokenFile(dataDir);
  expect([tokens.length, tokens.filter(({ revokedAt }) => revokedAt !== undefined).length]).toEqual([20, 10]);
});

it("gives a name to one token at a time", async () => {
  await createToken(dataDir, { name: "ci", scopes: ["turns"] });
  await expect(createToken(dataDir, { name: "ci", scopes: ["turns"] })).rejects.toMatchObject({
    code: "invalid-request",
  });
  await revokeToken(dataDir, "ci");
  await createToken(dataDir, { name: "ci", scopes: ["models"] });
  expect(readTokenFile(dataDir)).toMatchObject([{ name: "ci", scopes: ["models"] }]);
});

it.each(["", "../x", "a b", "-x", "x".repeat(65)])("refuses the name %j", async (name) => {
  await expect(createToken(dataDir, { name, scopes: [] })).rejects.toMatchObject({ code: "invalid-request" });
});

it("notes when a token was last used, away from the tokens", async () => {
  let now = 1_000;
  const store = openTokenStore({ dataDir, now: () => now });
  const { secret } = await createToken(dataDir, { name: "ci", scopes: ["turns"] });
  store.find(secret.reveal());
  expect(readTokenUses(dataDir)).toEqual({});
  now += 61_000;
  store.find(secret.reveal());
  expect(readTokenUses(dataDir)).toEqual({ ci: 62_000 });
});

it("makes the first token by itself, where local tools find it, and only once", async () => {
  const file = await ensureDefaultToken(dataDir);
  const secret = readFileSync(file ?? "", "utf8").trim();
  const store = openTokenStore({ dataDir });
  expect([store.find(secret), modeOf("token")]).toEqual([
    { name: "default", id: expect.any(String), scopes: ["admin"] },
    0o600,
  ]);
  await revokeToken(dataDir, "default");
  await ensureDefaultToken(dataDir);
  expect([store.find(secret), readTokenFile(dataDir).length]).toEqual([undefined, 1]);
});
