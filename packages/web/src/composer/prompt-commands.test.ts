import { expandCommand } from "@caret/protocol";
import { expect, it } from "vitest";
import { findCommands, type PromptCommand, withoutTwins } from "./prompt-commands.ts";

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

it("finds an agent's command whose file has capital letters or a dot in its name", () => {
  const ofAgent = ["Deploy", "v1.2"].map((name) => ({ name, hint: "", text: name }));
  const found = ["/d", "/De", "/v1.", "/V1.2"].map((text) => findCommands(ofAgent, text).map(({ label }) => label));
  expect(found).toEqual([["/Deploy"], ["/Deploy"], ["/v1.2"], ["/v1.2"]]);
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

it("takes the text of an agent's command, and leaves one without a text to the agent", () => {
  const review = { name: "review", hint: "Review", text: "Review what changed." };
  const all = withoutTwins(commands, [review, { name: "compress", hint: "" }, { name: "plan", hint: "of the agent" }]);
  expect([
    findCommands(all, "/re")[0]?.insert,
    findCommands(all, "/com")[0]?.insert,
    findCommands(all, "/pl").map(({ hint }) => hint),
    expandCommand(all, "/review"),
    expandCommand(all, "/review the parser\nonly"),
    expandCommand(all, "/compress now"),
    expandCommand(all, "and /review"),
  ]).toEqual([
    "Review what changed.",
    "/compress ",
    ["Only plan"],
    "Review what changed.",
    "Review what changed.\n\nthe parser\nonly",
    "/compress now",
    "and /review",
  ]);
});
