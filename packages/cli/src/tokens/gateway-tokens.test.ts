import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cutPageSecret } from "@caret/gateway";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createToken, revokeToken } from "./change-tokens.ts";
import { gatewayTokens } from "./gateway-tokens.ts";
import { openTokenStore } from "./open-token-store.ts";
import { readTokenFile } from "./token-file.ts";

const now = (): number => Date.UTC(2026, 10, 15, 12);
const person = { tokenName: "default" };
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "caret-gateway-tokens-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

it("gives every browser a token under a name of its own, also when several sign in at once", async () => {
  const tokens = gatewayTokens({ place: dataDir, now });
  const secrets = await Promise.all([
    tokens.createForBrowser(person),
    tokens.createForBrowser(person),
    tokens.createForBrowser(person),
  ]);
  const store = openTokenStore({ dataDir });
  const found = secrets.map((secret) => store.find(secret.reveal()));
  expect(found.toSorted((a, b) => (a?.name ?? "").localeCompare(b?.name ?? ""))).toEqual([
    { name: "browser-2026-11-15-1", id: expect.any(String), scopes: ["admin"] },
    { name: "browser-2026-11-15-2", id: expect.any(String), scopes: ["admin"] },
    { name: "browser-2026-11-15-3", id: expect.any(String), scopes: ["admin"] },
  ]);
});

it("knows a browser by its cookie until it is revoked, and no other token by a half of it", async () => {
  const tokens = gatewayTokens({ place: dataDir, now });
  const store = openTokenStore({ dataDir });
  const browser = cutPageSecret(await tokens.createForBrowser(person));
  const program = cutPageSecret(await tokens.create({ name: "pi", caller: person }));
  const known = () => [browser.cookie, browser.pageKey, program.cookie, ""].map((half) => store.knowsCookie(half));
  expect(known()).toEqual([true, false, false, false]);
  await tokens.revokeBrowser("browser-2026-11-15-1");
  expect(known()).toEqual([false, false, false, false]);
});

it("revokes the tokens of browsers, and no other", async () => {
  const tokens = gatewayTokens({ place: dataDir, now });
  await tokens.createForBrowser(person);
  await tokens.create({ name: "pi", caller: { ...person, workspace: "/w" } });
  await tokens.revokeBrowser("browser-2026-11-15-1");
  await tokens.revokeBrowser("pi");
  const states = readTokenFile(dataDir).map(({ name, scopes, workspace, revokedAt }) => [
    name,
    scopes.join(" "),
    workspace,
    revokedAt,
  ]);
  expect(states).toEqual([
    ["browser-2026-11-15-1", "admin", undefined, now()],
    ["pi", "turns models", "/w", undefined],
  ]);
});

it("does not give a name twice", async () => {
  const tokens = gatewayTokens({ place: dataDir, now });
  await tokens.create({ name: "pi", caller: person });
  await expect(tokens.create({ name: "pi", caller: person })).rejects.toMatchObject({ code: "invalid-request" });
});

it("gives no browser a token for a link whose maker was revoked since", async () => {
  const shelf = mkdtempSync(join(tmpdir(), "caret-fleet-tokens-"));
  const tokens = gatewayTokens({ place: shelf, others: [dataDir], now });
  const { entry } = await createToken(dataDir, { name: "leaked", scopes: ["admin"] }, now);
  const leaked = { tokenName: "leaked", token: { id: entry.sha256, scopes: entry.scopes } };
  await tokens.createForBrowser(leaked);
  await revokeToken(dataDir, "leaked", now);
  await expect(tokens.createForBrowser(leaked)).rejects.toMatchObject({ code: "unauthenticated" });
  await tokens.createForBrowser({ tokenName: "gateway" });
  expect(readTokenFile(shelf).map(({ name }) => name)).toEqual(["browser-2026-11-15-1", "browser-2026-11-15-2"]);
  rmSync(shelf, { recursive: true });
});
