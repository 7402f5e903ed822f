import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandForm } from "./program.ts";

let root: string;
let script: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "caret-form-"));
  for (const directory of ["checkout/node_modules/.bin", "bin", "other"])
    mkdirSync(join(root, directory), { recursive: true });
  script = join(root, "checkout/caret.js");
  writeFileSync(script, "");
  writeFileSync(join(root, "other/caret"), "");
  symlinkSync(script, join(root, "checkout/node_modules/.bin/caret"));
  symlinkSync(script, join(root, "bin/caret"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const path = (...directories: readonly string[]) => ({
  PATH: directories.map((directory) => join(root, directory)).join(delimiter),
});

it("is npx caret where only npm's own directory has it, and caret where a shell finds this very program [ux B2]", () => {
  expect({
    checkout: commandForm(script, path("checkout/node_modules/.bin")),
    installed: commandForm(script, path("other", "bin")),
    another: commandForm(script, path("other")),
    nothing: commandForm(script, {}),
  }).toEqual({ checkout: "npx caret", installed: "caret", another: "npx caret", nothing: "npx caret" });
});
