import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { containCommand, probeContainment } from "../../process/containment.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { readAll, testEnv } from "../../process/testing/workbench.ts";
import { prepareBridgedWorkspace } from "./bridged-workspace.ts";

let root: string;
let directory: string;
let mcpFile: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-offered-")));
  directory = join(root, "scratch");
  mcpFile = join(root, "mcp.json");
  mkdirSync(directory);
});
afterEach(() => rmSync(root, { recursive: true }));

function prepare() {
  return prepareBridgedWorkspace({
    directory,
    agentFiles: { configDir: root, projectRoots: [root], mcpFiles: [mcpFile, join(root, "missing.json")] },
    bridge: { file: "/bin/bridge", args: [], env: {} },
    toolNames: ["read"],
    system: "",
    realWorkspace: join(root, "project"),
  });
}

const content = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

describe("an agent whose tools the client or the gateway runs", () => {
  it("is denied every path of the machine, not only those of its own directory", () => {
    writeFileSync(mcpFile, `{ "mcpServers": { "mine": {}, }, // a comment\n}`);
    prepare();
    expect(content(join(directory, ".cursor", "cli.json"))).toEqual({
      permissions: {
        allow: ["Mcp(caret:*)"],
        deny: [
          ...["Shell(*)", "Shell(**)"],
          ...["Read(*)", "Read(**)", "Read(/**)", "Read(~/**)"],
          ...["Write(*)", "Write(**)", "Write(/**)", "Write(~/**)"],
          ...["WebFetch(*)", "WebFetch(**)"],
          ...["Mcp(mine:*)", "Mcp(mine)"],
        ],
      },
    });
  });

  it("has the user's own MCP servers switched off in its directory, and in no other", () => {
    writeFileSync(mcpFile, JSON.stringify({ mcpServers: { mine: {}, "the other": {} } }));
    prepare();
    const slug = directory.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
    expect(content(join(root, "projects", slug, "mcp-disabled.json"))).toEqual(["mine", "the other"]);
  });

  it("finds no server in the user's file where it is contained", async () => {
    writeFileSync(mcpFile, JSON.stringify({ mcpServers: { mine: {} } }));
    const { covered } = prepare();
    const spawner = createInlineSpawner();
    const containment = await probeContainment({ spawner, env: testEnv });
    const command = { file: "cat", args: [mcpFile], cwd: root, env: testEnv, stdin: "closed", covered } as const;
    const inside = await readAll(spawner.spawn(containCommand(command, containment)));
    await spawner.close();
    expect({ inside: JSON.parse(inside) as unknown, outside: content(mcpFile) }).toEqual({
      inside: { mcpServers: containment.kind === "none" ? { mine: {} } : {} },
      outside: { mcpServers: { mine: {} } },
    });
  });

  it("is gated for every tool, so that none slips past a matcher", () => {
    prepare();
    const run = { command: `/bin/sh '${join(directory, ".cursor", "deny-native.sh")}'`, failClosed: true };
    expect(content(join(directory, ".cursor", "hooks.json"))).toEqual({
      version: 1,
      hooks: { preToolUse: [run], beforeShellExecution: [run], beforeReadFile: [run] },
    });
  });
});
