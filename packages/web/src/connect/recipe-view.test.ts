import { expect, it } from "vitest";
import { tokenName } from "./connect-screen.tsx";

it("calls a token after its client and the second it was made in", () => {
  expect(tokenName("codex", new Date("2026-11-15T09:08:07.123Z"))).toBe("codex-20261115-090807");
});
