import { expect, it } from "vitest";
import { isNewEnough } from "./open-database.ts";

it.each([
  ["3.51.3", true],
  ["3.51.10", true],
  ["3.53.0", true],
  ["4.0.0", true],
  ["3.51.2", false],
  ["3.9.9", false],
  ["2.60.9", false],
])("of SQLite %s it says whether it is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});
