import { expect, it } from "vitest";
import { qrCode, qrLines } from "./qr-code.ts";

it("draws the finder of a corner, inside a light border, as half blocks", () => {
  const code = qrCode("https://caret.example/#/sign-in/code");
  expect(code.every((row) => row.length === code.length)).toBe(true);
  expect(
    code.slice(0, 9).map((row) =>
      row
        .slice(0, 9)
        .map((isDark) => (isDark ? "#" : "."))
        .join(""),
    ),
  ).toEqual([
    ".........",
    ".........",
    "..#######",
    "..#.....#",
    "..#.###.#",
    "..#.###.#",
    "..#.###.#",
    "..#.....#",
    "..#######",
  ]);
  expect(
    qrLines("https://caret.example/#/sign-in/code")
      .slice(0, 3)
      .map((line) => line.slice(0, 9)),
  ).toEqual(["█████████", "██ ▄▄▄▄▄ ", "██ █   █ "]);
});
