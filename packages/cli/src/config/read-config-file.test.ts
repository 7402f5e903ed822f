import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfigFile } from "./config-paths.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-config-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("readConfigFile", () => {
  it("gives the text, or nothing when there is no file", () => {
    writeFileSync(join(directory, "caret.json"), "{}");
    expect([readConfigFile(join(directory, "caret.json")), readConfigFile(join(directory, "none"))]).toEqual([
      "{}",
      undefined,
    ]);
  });

  it("refuses a directory, and a link to a device that never ends", () => {
    const link = join(directory, "caret.json");
    symlinkSync("/dev/zero", link);
    expect(() => readConfigFile(link)).toThrow("it is not a file");
    expect(() => readConfigFile(directory)).toThrow("it is not a file");
  });

  it("refuses a file no person wrote", () => {
    const path = join(directory, "caret.json");
    writeFileSync(path, "");
    truncateSync(path, 2 * 1024 * 1024);
    expect(() => readConfigFile(path)).toThrow("it is too large");
  });
});
