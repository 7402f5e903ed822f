import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findGateway } from "./find-gateway.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "caret-pi-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function announce(directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "token"), "caret_secret\n");
  const announced = { url: "http://127.0.0.1:4141", tokenFile: join(directory, "token") };
  writeFileSync(join(directory, "gateway.json"), JSON.stringify(announced));
}

it.each([
  ["the usual data directory", ".local/share/caret", {}],
  ["XDG_DATA_HOME", "xdg/caret", { XDG_DATA_HOME: "xdg" }],
  ["CARET_DATA_DIR", "own", { CARET_DATA_DIR: "own" }],
])("finds the gateway that announces itself in %s", (_, directory, names) => {
  announce(join(home, directory));
  const env = Object.fromEntries(Object.entries(names).map(([name, path]) => [name, join(home, path)]));
  expect(findGateway({ env, home })).toEqual({ url: "http://127.0.0.1:4141", token: "caret_secret" });
});

it("takes the address and the token that the environment names", () => {
  const env = { CARET_URL: "http://127.0.0.1:9", CARET_TOKEN: "caret_other" };
  expect(findGateway({ env, home })).toEqual({ url: "http://127.0.0.1:9", token: "caret_other" });
});

it("says how to start a gateway where there is none", () => {
  expect(() => findGateway({ env: {}, home })).toThrow(
    `No gateway of Caret's runs for ${join(home, ".local/share/caret")}. Start one with \`caret serve\`.`,
  );
});
