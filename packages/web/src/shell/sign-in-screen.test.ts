import { expect, it } from "vitest";
import { findSignInCode } from "./sign-in-screen.tsx";

it("finds the code in a link, below any path, or alone", () => {
  const code = "abc_DEF-12345";
  const pasted = [`http://127.0.0.1:4040/#/sign-in/${code}`, ` https://x.example/caret/#/sign-in/${code}\n`, code];
  expect(pasted.map(findSignInCode)).toEqual([code, code, code]);
});

it("finds none in anything else", () => {
  expect(["", "short", "http://127.0.0.1:4040/", "two words here"].map(findSignInCode)).toEqual(
    Array(4).fill(undefined),
  );
});
