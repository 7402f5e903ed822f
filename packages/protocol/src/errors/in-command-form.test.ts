import { expect, it } from "vitest";
import { inCommandForm } from "./caret-error.ts";

it("names commands in the form that works on this machine", () => {
  const text = "Run `caret link`, or read `caret.json`; `caret` itself and `caret token create <name>` too.";
  expect(inCommandForm(text, "caret")).toBe(text);
  expect(inCommandForm(text, "npx caret")).toBe(
    "Run `npx caret link`, or read `caret.json`; `caret` itself and `npx caret token create <name>` too.",
  );
});
