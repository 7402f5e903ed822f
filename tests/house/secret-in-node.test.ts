import { format, inspect } from "node:util";
import { CaretError, Secret } from "@caret/protocol";
import { describe, expect, it } from "vitest";

const key = "crsr_0123456789";
const secret = new Secret(key);

const accidents: readonly (readonly [string, () => string])[] = [
  ["inspection", () => inspect({ key: secret })],
  ["inspection of everything hidden", () => inspect(secret, { showHidden: true, depth: null })],
  ["inspection without custom words", () => inspect(secret, { customInspect: false, showHidden: true })],
  ["console's %s", () => format("%s", secret)],
  ["console's %o", () => format("%o", secret)],
  ["console's %O", () => format("%O", { secret })],
  ["console's %j", () => format("%j", { secret })],
  ["console's %d", () => format("%d", secret)],
  ["console without a format", () => format("key", secret, new Map([["key", secret]]))],
  ["an error's stack", () => inspect(new Error(`Refused ${secret}`))],
  ["an error's cause", () => inspect(new CaretError("bad-key", "Refused", { cause: { secret } }))],
  ["a structured clone", () => inspect(structuredClone(secret), { showHidden: true })],
];

describe("a secret in Node", () => {
  it.each(accidents)("is not printed by %s", (_way, print) => {
    expect(print()).not.toContain(key);
  });

  it("says that it is one when it is inspected", () => {
    expect(inspect({ key: secret })).toBe("{ key: [secret] }");
  });
});
