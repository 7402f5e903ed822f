import { expect, it } from "vitest";
import { cliFeatures } from "./agent-arguments.ts";

it.each([
  ["2026.10.01-e373342", true],
  ["2026.10.01-14929f9", true],
  ["2026.11.02-03-48-54-da23e37", true],
  ["2027.01.01-abc", true],
  ["2026.09.28-64d2043", false],
  [undefined, false],
])("asks of version %s what it can do", (version, isNew) => {
  expect(cliFeatures(version)).toEqual({ newSessionId: isNew, backgroundShellTimeout: isNew });
});
