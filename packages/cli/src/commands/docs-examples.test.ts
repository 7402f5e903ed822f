import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DocMachine, examplesOf } from "./testing/doc-examples.ts";

let machine: DocMachine;
beforeAll(() => {
  machine = new DocMachine();
});
afterAll(() => machine.remove());

it("has examples of every command that docs/commands.md describes", () => {
  const typed = examplesOf("commands.md")
    .flatMap(({ steps }) => steps.map(({ command }) => command))
    .join("\n");
  for (const name of ["run", "sessions", "chats", "config", "decode", "install", "launch", "backup"])
    expect(typed).toContain(`caret ${name}`);
});

// In the order of the page: an example may build on those before it.
const examples = examplesOf("commands.md");
it.each(examples.slice(0, barSize({ quick: 14, full: examples.length })))(
  "docs/commands.md is true: $name",
  async (example) => {
    await machine.follow(example);
  },
);
