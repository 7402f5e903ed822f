import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadPriceUpdates, priceFilePath } from "./price-file.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "caret-prices-")));
});
afterEach(() => rmSync(home, { recursive: true }));

const load = () => loadPriceUpdates({ env: {}, home, platform: process.platform });

function writePrices(text: string): string {
  const file = priceFilePath({ env: {}, home, platform: process.platform });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

it("reads the user's rows with their source, and no file means no rows", () => {
  expect(load()).toEqual([]);
  const row = { model: "GPT-6.1*", input: 3, output: 12, longPrompt: { above: 272_000, input: 6, output: 18 } };
  const fast = { model: "gpt-6.1-sol", fast: true, input: 4, output: 20, cacheRead: 0.4 };
  writePrices(JSON.stringify({ source: "my invoice", asOf: "2026-11-17", prices: [row, fast] }));
  const source = { name: "my invoice", asOf: "2026-11-17" };
  expect(load()).toEqual([
    { base: "gpt-6.1*", input: 3, output: 12, longPrompt: { above: 272_000, input: 6, output: 18 }, source },
    { base: "gpt-6.1-sol", fast: true, input: 4, output: 20, cacheRead: 0.4, source },
  ]);
});

it.each([
  ["{", /JSON/],
  ['{"source": "x", "asOf": "yesterday", "prices": []}', /asOf: must be a date such as 2026-11-17/],
  [
    '{"source": "x", "asOf": "2026-11-17", "prices": [{"model": "a*b", "input": 1, "output": 1}]}',
    /prices\.0\.model: must be a model's id/,
  ],
  [
    '{"source": "x", "asOf": "2026-11-17", "prices": [{"model": "a", "input": -1, "output": "2"}]}',
    /prices\.0\.input: must not be negative; prices\.0\.output: must be a number/,
  ],
  [
    '{"source": "x", "asOf": "2026-11-17", "prices": [{"model": "a", "input": 1, "output": 1, "cache": 2}]}',
    /Unrecognized key: "cache"/,
  ],
])("refuses %s whole, and says what is wrong where", (text, message) => {
  const file = writePrices(text);
  expect(load).toThrow(expect.objectContaining({ code: "invalid-config", message: expect.stringMatching(message) }));
  expect(load).toThrow(file);
});
