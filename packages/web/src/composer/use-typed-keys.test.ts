import { expect, it } from "vitest";
import { isTyped } from "./use-typed-keys.ts";

const press = { key: "n", altKey: false, ctrlKey: false, metaKey: false, target: null };
const inDialog = { closest: () => ({}) } as unknown as EventTarget;

it("takes characters for text, and leaves shortcuts, buttons and open dialogs their keys", () => {
  const typed = Object.fromEntries(
    ["n", "a", "/", "é", "👍", " ", "Enter", "Escape", "Tab"].map((key) => [key, isTyped({ ...press, key })]),
  );
  expect(typed).toEqual({
    n: true,
    a: true,
    "/": true,
    é: true,
    "👍": true,
    " ": false,
    Enter: false,
    Escape: false,
    Tab: false,
  });
  for (const other of [{ altKey: true }, { ctrlKey: true }, { metaKey: true }, { target: inDialog }])
    expect(isTyped({ ...press, ...other })).toBe(false);
});
