import { expect, it } from "vitest";
import { agentCommandChoices } from "./agent-commands.ts";
import { fileChoices } from "./chat-completion.ts";

it("offers no file whose name would steer the terminal", () => {
  const hostile = ["a\u001b]52;c;cm0=\u0007.ts", "b\nrm.ts", "c\u009b2J.ts", "d\u202e.ts"];
  expect(fileChoices(["src/a b.ts", "日本.ts", ...hostile])).toEqual([
    { value: "@src/a b.ts", label: "src/a b.ts" },
    { value: "@日本.ts", label: "日本.ts" },
  ]);
});

it("offers the agent's commands after Caret's, none whose name is Caret's or would steer the terminal", () => {
  const hostile = ["a\u001b]52;c;cm0=\u0007", "b\nrm", "c\u009b2J", "d\u202e", "e f", ""];
  const commands = [
    { name: "review", source: "workspace", description: "Review \u001b[2Jwhat\nchanged", text: "Review." },
    { name: "stop", source: "workspace", description: "Not the one of Caret", text: "Stop." },
    { name: "compress", source: "agent", description: "" },
    ...hostile.map((name) => ({ name, source: "agent", description: "" }) as const),
  ] as const;
  expect(agentCommandChoices(commands, new Set(["stop"]))).toEqual([
    { value: "/review", label: "/review", description: "Review what changed (of this workspace)" },
    { value: "/compress", label: "/compress", description: "the agent's" },
  ]);
});
