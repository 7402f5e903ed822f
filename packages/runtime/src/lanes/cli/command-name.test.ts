import { expect, it } from "vitest";
import { commandName } from "./command-name.ts";

it("is what a person would type, never the interpreter that runs it", () => {
  expect([
    commandName("cursor-agent", "/opt/cursor/node"),
    commandName(undefined, "/usr/local/bin/agent"),
    commandName(undefined, "/usr/bin/node"),
    commandName(undefined, "C:\\node\\node.exe"),
  ]).toEqual(["cursor-agent", "agent", "agent", "agent"]);
});
