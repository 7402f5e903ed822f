import { expect, it } from "vitest";
import { strictest } from "./sandbox-word.ts";

it("takes the strictest of the setting's, the session's and the turn's word, and none for off", () => {
  expect([
    strictest("off", "strict", "on"),
    strictest("on", undefined, "off"),
    strictest(undefined),
    strictest(),
  ]).toEqual(["strict", "on", "off", "off"]);
});
