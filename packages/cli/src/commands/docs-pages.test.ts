import { afterAll, beforeAll, describe, it } from "vitest";
import { DocMachine, examplesOf } from "./testing/doc-examples.ts";

/** Pages for people: each is followed from its first example to its last on a machine of its own. */
const pages = [
  "coming-from.md",
  "containers.md",
  "first-steps.md",
  "guide.md",
  "keeping.md",
  "permissions.md",
  "terminal.md",
  "troubleshooting.md",
  "upgrading.md",
];

describe.each(pages)("docs/%s", (page) => {
  let machine: DocMachine;
  beforeAll(() => {
    machine = new DocMachine();
  });
  afterAll(() => machine.remove());

  it.each(examplesOf(page))("is true: $name", async (example) => {
    await machine.follow(example);
  });
});
