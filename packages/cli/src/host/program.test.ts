import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandForm } from "./program.ts";

let root: string;
let script: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-form-")));
  for (const directory of [
    "checkout/node_modules/.bin",
    "checkout/packages/deep",
    "bin",
    "other",
    "stranger/node_modules/.bin",
  ])
    mkdirSync(join(root, directory), { recursive: true });
  script = join(root, "checkout/caret.js");
  writeFileSync(script, "");
  for (const stranger of ["other/caret", "stranger/node_modules/.bin/caret"]) writeFileSync(join(root, stranger), "");
  symlinkSync(script, join(root, "checkout/node_modules/.bin/caret"));
  symlinkSync(script, join(root, "bin/caret"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const path = (...directories: readonly string[]) => ({
  PATH: directories.map((directory) => join(root, directory)).join(delimiter),
});

it("is caret where a shell finds this very program, and npx caret only where npx finds it", () => {
  const checkout = join(root, "checkout");
  const form = (env: Record<string, string>, cwd: string) => commandForm(script, env, cwd);
  expect({
    checkout: form(path("checkout/node_modules/.bin"), checkout),
    within: form(path("checkout/node_modules/.bin"), join(checkout, "packages/deep")),
    installed: form(path("other", "bin"), root),
    elsewhere: form(path("other"), root),
    another: form({}, join(root, "stranger")),
  }).toEqual({
    checkout: "npx caret",
    within: "npx caret",
    installed: "caret",
    elsewhere: `node ${script}`,
    another: `node ${script}`,
  });
});

it("names the published package where a project has installed it, since its words are read elsewhere too", () => {
  const project = join(root, "project");
  const installed = join(project, "node_modules/caret-gateway/caret.js");
  mkdirSync(dirname(installed), { recursive: true });
  mkdirSync(join(project, "node_modules/.bin"));
  writeFileSync(installed, "");
  for (const name of ["caret", "caret-gateway"]) symlinkSync(installed, join(project, "node_modules/.bin", name));
  expect([project, root].map((cwd) => commandForm(installed, path("project/node_modules/.bin"), cwd))).toEqual([
    "npx caret-gateway",
    "npx caret-gateway",
  ]);
});

it("names the published package where only npm's cache has the program, and quotes a path with spaces", () => {
  const cached = join(root, "_npx/1/node_modules/caret-gateway/caret.js");
  const spaced = join(root, "it's mine/caret.js");
  for (const file of [cached, spaced]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
  }
  expect([commandForm(cached, {}, root), commandForm(spaced, {}, root)]).toEqual([
    "npx caret-gateway",
    `node '${spaced.replace("'", "'\\''")}'`,
  ]);
});
