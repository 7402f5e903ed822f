import { expect, it } from "vitest";
import { readIdempotencyKey } from "./idempotency-key.ts";

it.each(["", "a b", "é", "x".repeat(256)])("refuses %j for a key", (key) => {
  expect(() => readIdempotencyKey({ "idempotency-key": key })).toThrow("must be 1 to 255 visible characters");
});

it("reads the key of a request that has one", () => {
  expect([readIdempotencyKey({ "idempotency-key": "pay-1" }), readIdempotencyKey({})]).toEqual(["pay-1", undefined]);
});
