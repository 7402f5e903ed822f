import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { prepareBridgedWorkspace } from "./bridged-workspace.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-bridged-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

it("denies the agent's own tools everywhere: a relative rule would end at the workspace [fidelity F4]", () => {
  prepareBridgedWorkspace({
    directory,
    configDir: join(directory, "config"),
    bridge: { file: "/bin/false", args: [], env: {} },
    toolNames: ["read"],
    system: "",
    realWorkspace: undefined,
  });
  const { permissions } = JSON.parse(readFileSync(join(directory, ".cursor", "cli.json"), "utf8"));
  expect(permissions.allow).toEqual(["Mcp(caret:*)"]);
  const needed = ["Read(**)", "Read(/**)", "Read(~/**)", "Write(**)", "Write(/**)", "Write(~/**)", "Shell(*)"];
  expect(needed.filter((rule) => !permissions.deny.includes(rule))).toEqual([]);
});
