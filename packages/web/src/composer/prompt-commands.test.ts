import { expect, it } from "vitest";
import { findCommands, type PromptCommand } from "./prompt-commands.ts";

const did: string[] = [];
const commands: readonly PromptCommand[] = [
  { name: "plan", hint: "Only plan", run: () => did.push("plan") },
  {
    name: "permission",
    hint: "How freely",
    choices: [{ value: "full", label: "Full access" }],
    run: (word) => did.push(word),
  },
];
const labels = (text: string) => findCommands(commands, text).map(({ label }) => label);

it("finds commands by how their names begin, and only at the beginning of the prompt", () => {
  expect([labels("/"), labels("/pl"), labels("/x"), labels("a /plan"), labels("/plan\nb")]).toEqual([
    ["/plan", "/permission"],
    ["/plan"],
    [],
    [],
    [],
  ]);
});

it("offers what may stand behind a command, and does it when it is taken", () => {
  expect([
    findCommands(commands, "/permission")[0]?.insert,
    labels("/permission ac"),
    labels("/permission none"),
  ]).toEqual(["/permission ", ["Full access"], []]);
  findCommands(commands, "/permission full")[0]?.run?.();
  findCommands(commands, "/plan")[0]?.run?.();
  expect(did).toEqual(["full", "plan"]);
});
