import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compactionKey } from "./compaction-key.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "caret-compaction-key-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

describe("what compacted conversations are sealed with", () => {
  it("is made once on a machine, for the user alone", () => {
    const key = compactionKey({ dataDir, fleet: {} }).reveal();
    const again = compactionKey({ dataDir, fleet: {} }).reveal();
    const mode = statSync(join(dataDir, "compaction-key")).mode & 0o777;
    expect([key.length, again, mode, readdirSync(dataDir)]).toEqual([43, key, 0o600, ["compaction-key"]]);
  });

  it("is the fleet's key in a fleet, where every gateway opens what another has sealed", () => {
    expect([compactionKey({ dataDir, fleet: { key: "shared" } }).reveal(), readdirSync(dataDir)]).toEqual([
      "shared",
      [],
    ]);
  });
});
