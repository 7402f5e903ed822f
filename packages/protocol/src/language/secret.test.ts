import { describe, expect, it } from "vitest";
import { Secret } from "./secret.ts";

const key = "crsr_0123456789";
const secret = new Secret(key);

/** The ways a value gets printed without anyone having meant to. Node's own are in tests/house: this package has no Node. */
const accidents: readonly (readonly [string, () => string])[] = [
  ["String()", () => String(secret)],
  ["a template", () => `key: ${secret}`],
  ["adding it to a text", () => "key: ".concat(secret as unknown as string)],
  ["joining a list", () => [secret, secret].join()],
  ["JSON", () => JSON.stringify({ key: secret, list: [secret] })],
  ["an error's message", () => new Error(`Refused ${secret}`).message],
  ["copying its fields", () => JSON.stringify({ ...secret, ...Object.fromEntries(Object.entries(secret)) })],
  ["its own property names", () => Reflect.ownKeys(secret).join()],
];

describe("a secret", () => {
  it("is given away by reveal, and only by that", () => {
    expect(secret.reveal()).toBe(key);
  });

  it.each(accidents)("is not printed by %s", (_way, print) => {
    expect(print()).not.toContain(key);
  });

  it("says that it is one where something is printed", () => {
    expect([String(secret), `${secret}`, JSON.stringify(secret)]).toEqual(["[secret]", "[secret]", '"[secret]"']);
  });
});
