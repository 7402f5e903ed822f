import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { refusalWith, toKnownError } from "./refusals.ts";

function refusalOf(reason: unknown): unknown {
  const { error, status } = toKnownError(reason);
  return [error.code, error.message, status];
}

it.each([
  ["keeps our own errors", new CaretError("overloaded", "Full."), ["overloaded", "Full.", undefined]],
  ["keeps the status of a refusal", refusalWith(415, "Not JSON"), ["invalid-request", "Not JSON.", 415]],
  ["knows a body that is too large", refusalWith(413, "Too big."), ["too-large", "Too big.", 413]],
  ["hides a failure of ours", refusalWith(500, "stack at line 3"), ["internal", "Unexpected failure", undefined]],
  ["hides what was thrown by accident", new TypeError("x is undefined"), ["internal", "Unexpected failure", undefined]],
  ["copes with a thrown text", "oops", ["internal", "Unexpected failure", undefined]],
])("%s", (_name, reason, expected) => {
  expect(refusalOf(reason)).toEqual(expected);
});
