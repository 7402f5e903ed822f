import { expect, it } from "vitest";
import { clientProject } from "./read-question.ts";
import { user } from "./testing/lineage-bench.ts";

it.each([
  [
    "Claude Code",
    "# Environment\n - Primary working directory: /home/ada/shop\n - Platform: linux",
    "",
    "/home/ada/shop",
  ],
  ["OpenCode", "<env>\n  Working directory: /home/ada/my shop\n  Platform: linux\n</env>", "", "/home/ada/my shop"],
  ["Codex", "", "<environment_context>\n  <cwd>/home/ada/shop</cwd>\n</environment_context>", "/home/ada/shop"],
  [
    "Qwen Code",
    "",
    "<system-reminder>\nI'm currently working in the directory: /home/ada/shop\n</system-reminder>",
    "/home/ada/shop",
  ],
  ["Droid", "", "<system-reminder>\n% pwd\n/home/ada/shop\n\n% ls\n</system-reminder>", "/home/ada/shop"],
  ["OpenClaw", "", "Hello\n\nRuntime: agent=main | repo=/home/ada/shop | os=Linux", "/home/ada/shop"],
  ["Cline", "", "# Current Working Directory (/home/ada/shop) Files\na.ts", "/home/ada/shop"],
  ["a client on Windows", "Working directory: C:\\Users\\Ada\\shop\n", "", "C:\\Users\\Ada\\shop"],
])("%s says where it works", (_, system, text, project) => {
  expect(clientProject({ system, tools: [], messages: [user(text), user("Hello")] })).toBe(project);
});

it.each([
  ["nothing", "You are kind."],
  ["a relative path", "Working directory: shop"],
  ["a rule about it", "Never leave the working directory: it is yours."],
])("a system prompt with %s says nothing about it", (_, system) => {
  expect(clientProject({ system, tools: [], messages: [user("Hello")] })).toBe(undefined);
});
