import { expect, it } from "vitest";
import { assertNever } from "./assert-never.ts";

it("a variant that the compiler did not foresee stops at once, and is named", () => {
  const surprise = { type: "brand-new" } as unknown as never;
  expect(() => assertNever(surprise)).toThrow('Unhandled variant: {"type":"brand-new"}');
});
