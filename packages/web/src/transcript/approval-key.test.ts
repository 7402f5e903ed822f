import { describe, expect, it } from "vitest";
import { cardApprovalKey, globalApprovalKey } from "./approval-key.ts";

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

describe("approval keys", () => {
  it("decide by A and D on the card", () => {
    expect({
      a: cardApprovalKey(press),
      d: cardApprovalKey({ ...press, key: "D", code: "KeyD" }),
      x: cardApprovalKey({ ...press, key: "x", code: "KeyX" }),
      inTheReasonField: cardApprovalKey({ ...press, target: field }),
    }).toEqual({ a: "approved", d: "rejected", x: undefined, inTheReasonField: undefined });
  });

  it("decide elsewhere only with Alt, whatever letter the layout makes of it", () => {
    expect({
      bare: globalApprovalKey(press),
      alt: globalApprovalKey({ ...press, altKey: true, key: "å" }),
      altWhileTyping: globalApprovalKey({ ...press, altKey: true, code: "KeyD", key: "d", target: field }),
    }).toEqual({ bare: undefined, alt: "approved", altWhileTyping: "rejected" });
  });

  it("leave the browser's own shortcuts and held keys alone", () => {
    const others = [{ ctrlKey: true }, { metaKey: true }, { repeat: true }, { defaultPrevented: true }];
    for (const other of others) {
      expect(cardApprovalKey({ ...press, ...other })).toBe(undefined);
      expect(globalApprovalKey({ ...press, altKey: true, ...other })).toBe(undefined);
    }
  });
});
