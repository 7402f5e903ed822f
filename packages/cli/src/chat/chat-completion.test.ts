import { expect, it } from "vitest";
import { fileChoices } from "./chat-completion.ts";

it("offers no file whose name would steer the terminal", () => {
  const hostile = ["a\u001b]52;c;cm0=\u0007.ts", "b\nrm.ts", "c\u009b2J.ts", "d\u202e.ts"];
  expect(fileChoices(["src/a b.ts", "日本.ts", ...hostile])).toEqual([
    { value: "@src/a b.ts", label: "src/a b.ts" },
    { value: "@日本.ts", label: "日本.ts" },
  ]);
});
