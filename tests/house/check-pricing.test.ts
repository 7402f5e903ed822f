import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "./lint-planted.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "caret-pricing-"));
});
afterAll(() => rmSync(home, { recursive: true }));

/** As `npm run check:pricing` runs it, with nothing on PATH that could be asked for models. */
function checkPricing(...args: readonly string[]) {
  const env = { PATH: "/nowhere", HOME: home, CARET_LANE: "cli" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/check-pricing.ts"), ...args], {
    encoding: "utf8",
    env,
  });
  return { status, lines: stdout.split("\n").filter((line) => line !== "" && !line.includes("not listed:")), stderr };
}

it("compares the fixture's models and page with the table, offline", () => {
  expect(checkPricing("--fixture")).toEqual({
    status: 0,
    lines: [
      "models: 10 listed, 8 priced",
      "  no price: gpt-6.1-sol-high",
      "  no price: brand-new-1",
      "page: its prices are those of 2026-11-17",
    ],
    stderr: "",
  });
});

it("ends with 1 and says what it could not read when neither the agent nor the page answers", () => {
  const { status, lines, stderr } = checkPricing("--page", "http://127.0.0.1:1/");
  expect({ status, lines }).toEqual({ status: 1, lines: [] });
  expect(stderr).toMatch(/^models could not be read: .+\npage could not be read: .+\n$/);
});
