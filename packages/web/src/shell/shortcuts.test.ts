import { expect, it } from "vitest";
import { shortcutFor } from "./shortcuts.ts";

const press = (key: string, more: object = {}) =>
  shortcutFor({ key, ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false, target: null, ...more });
const input = { closest: () => ({}) };

it("opens the palette by Ctrl+K and by ⌘K, even in a text field", () => {
  const palette = { kind: "show", overlay: "palette" };
  expect([
    press("k", { ctrlKey: true }),
    press("K", { metaKey: true }),
    press("k", { ctrlKey: true, target: input }),
  ]).toEqual([palette, palette, palette]);
});

it("types letters in a text field", () => {
  expect(press("n")).toEqual({ kind: "go", route: "/new" });
  expect([press("n", { target: input }), press("?", { target: input })]).toEqual([undefined, undefined]);
});

it("leaves the browser's own keys, and keys that another handler took, alone", () => {
  expect([
    press("n", { ctrlKey: true }),
    press("n", { altKey: true }),
    press("n", { defaultPrevented: true }),
    press("k"),
  ]).toEqual(Array(4).fill(undefined));
});
