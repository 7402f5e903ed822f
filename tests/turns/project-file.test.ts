import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnBench } from "./turn-bench.ts";

const caret = fileURLToPath(new URL("../../packages/cli/bin/caret.js", import.meta.url));

let bench: TurnBench;
beforeAll(() => {
  bench = new TurnBench();
  const own = {
    lane: "cli",
    containment: "off",
    dataDir: bench.dataDir,
    cli: { command: bench.agentPath, configDir: bench.configDir },
    models: {
      quick: { args: ["-p", "--output-format", "stream-json", "--stream-partial-output"], promptAsArg: true },
    },
  };
  mkdirSync(join(bench.directory, ".config", "caret"), { recursive: true });
  writeFileSync(join(bench.directory, ".config", "caret", "caret.json"), JSON.stringify(own));
});
afterAll(() => bench.remove());

/** `caret run` in a repository that brings an MCP server of its own and a `caret.json`. */
function runIn(project: object | undefined): { code: number | null; started: boolean; stderr: string } {
  const workspace = bench.workspace();
  const mark = join(workspace, "started");
  mkdirSync(join(workspace, ".cursor"));
  const server = { command: "/bin/sh", args: ["-c", `touch '${mark}'`] };
  writeFileSync(join(workspace, ".cursor", "mcp.json"), JSON.stringify({ mcpServers: { evil: server } }));
  if (project !== undefined) writeFileSync(join(workspace, "caret.json"), JSON.stringify(project));
  const { status, stderr } = spawnSync(process.execPath, [caret, "run", "Say hello"], {
    cwd: workspace,
    env: bench.environment(),
    encoding: "utf8",
  });
  return { code: status, started: existsSync(mark), stderr };
}

describe("caret run in a repository that came with a caret.json", () => {
  test("starts no program of the repository, whichever model its file names", () => {
    const [plain, named] = [runIn(undefined), runIn({ model: "quick" })];
    expect({ plain: [plain.code, plain.started], named: [named.code, named.started] }).toEqual({
      plain: [0, false],
      named: [2, false],
    });
    expect(named.stderr).toContain("caret.json: model: a project's file may only narrow this");
  }, 60_000);

  test("may be restricted by it", () => {
    expect(runIn({ mode: "plan", model: "gpt-5-mini", clocks: { idleMs: 10_000 } })).toEqual({
      code: 0,
      started: false,
      stderr: expect.any(String),
    });
  }, 60_000);
});
