import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { newestProgram } from "@caret/simulator/newest-program";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-program-"));
  mkdirSync(join(directory, "src/deep"), { recursive: true });
  for (const [file, seconds] of [
    ["main.js", 2_000],
    ["src/main.ts", 1_000],
    ["src/deep/part.ts", 1_000],
  ] as const)
    write(file, seconds);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(file: string, seconds: number): void {
  writeFileSync(join(directory, file), "");
  utimesSync(join(directory, file), seconds, seconds);
}

const at = (path: string): URL => pathToFileURL(join(directory, path));
const choose = (): string => newestProgram(at("main.js"), at("src/main.ts"), [at("src/"), at("elsewhere/")]).href;

describe("which program runs", () => {
  it("is the bundle when no source is newer, and where there are no sources", () => {
    expect(choose()).toBe(at("main.js").href);
    rmSync(join(directory, "src"), { recursive: true });
    expect(choose()).toBe(at("main.js").href);
  });

  it("is the source when any of it is newer than the bundle, and where there is no bundle", () => {
    write("src/deep/part.ts", 3_000);
    expect(choose()).toBe(at("src/main.ts").href);
    write("src/deep/part.ts", 1_000);
    rmSync(join(directory, "main.js"));
    expect(choose()).toBe(at("src/main.ts").href);
  });

  it("is still the bundle when only a test is newer", () => {
    write("src/deep/part.test.ts", 3_000);
    expect(choose()).toBe(at("main.js").href);
  });
});
