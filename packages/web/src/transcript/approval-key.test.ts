import { describe, expect, it } from "vitest";
import { approvalKey } from "./approval-key.ts";

const press = {
  key: "a",
  code: "KeyA",
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  defaultPrevented: false,
  repeat: false,
  target: null,
};
/** As an element inside a text field answers. */
const field = { closest: () => ({}) } as unknown as EventTarget;

describe("approvalKey", () => {
  it("approves by A and denies by D", () => {
    expect([approvalKey(press), approvalKey({ ...press, key: "D", code: "KeyD" })]).toEqual(["approved", "rejected"]);
    expect(approvalKey({ ...press, key: "x", code: "KeyX" })).toBe(undefined);
  });

  it("does not take a letter that is typed, unless Alt is held", () => {
    expect(approvalKey({ ...press, target: field })).toBe(undefined);
    expect(approvalKey({ ...press, target: field, altKey: true, key: "å" })).toBe("approved");
  });

  it("leaves the browser's own shortcuts and held keys alone", () => {
    const others = [{ ctrlKey: true }, { metaKey: true }, { repeat: true }, { defaultPrevented: true }];
    expect(others.map((other) => approvalKey({ ...press, ...other }))).toEqual(others.map(() => undefined));
  });
});
