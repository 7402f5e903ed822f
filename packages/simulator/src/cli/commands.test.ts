import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findChatsDir } from "../config/config-dir.ts";
import { callBody, SimulatorSandbox } from "./testing/simulator-sandbox.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

describe("agent --version", () => {
  it("prints a date and a hash, and nothing else", async () => {
    expect(await sandbox.run(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d{4}\.\d\d\.\d\d-[0-9a-f]{7}\n$/),
    });
  });

  it("prints what the scenario says", async () => {
    const scenario = { version: "2030.01.01-abcdef0" };
    expect(await sandbox.run(["--version"], { scenario })).toMatchObject({ stdout: "2030.01.01-abcdef0\n" });
  });
});

describe("agent models", () => {
  it("and --list-models mark the current and the default model", async () => {
    const scenario = {
      models: [
        { id: "auto", name: "Auto" },
        { id: "composer-2.5-fast", name: "Composer 2.5 Fast" },
      ],
    };
    mkdirSync(sandbox.configDir);
    writeFileSync(join(sandbox.configDir, "cli-config.json"), '{"model":{"modelId":"auto"}}');
    const expected = [
      "Available models",
      "",
      "auto - Auto (current)",
      "composer-2.5-fast - Composer 2.5 Fast (default)",
      "",
      "Tip: use --model <id> (or /model <id> in interactive mode) to switch.",
      "",
    ].join("\n");
    for (const args of [["models"], ["--list-models"]]) {
      expect(await sandbox.run(args, { scenario })).toEqual({ code: 0, signal: null, stdout: expected, stderr: "" });
    }
  });
});

describe("agent status", () => {
  const userInfo = {
    email: "simulated@example.com",
    userId: 4242,
    firstName: "Simulated",
    createdAt: "2026-01-01T00:00:00.000Z",
  };

  it.each([
    ["in", { isAuthenticated: true, hasAccessToken: true, hasRefreshToken: true, status: "authenticated", userInfo }],
    ["out", { isAuthenticated: false, hasAccessToken: false, hasRefreshToken: false, status: "unauthenticated" }],
    ["stale", { isAuthenticated: false, hasAccessToken: true, hasRefreshToken: true, status: "unauthenticated" }],
  ])("exits with 0 when the login is %j", async (auth, expected) => {
    const { code, stdout } = await sandbox.run(["status", "--format", "json"], { env: { CARET_SIM_AUTH: auth } });
    expect([code, JSON.parse(stdout)]).toEqual([0, expected]);
  });

  it("follows login and logout", async () => {
    const status = async () => (await sandbox.run(["whoami"])).stdout;
    const first = await status();
    await sandbox.run(["logout"]);
    const second = await status();
    await sandbox.run(["login"]);
    expect([first, second, await status()]).toEqual([
      "✓ Logged in as simulated@example.com\n",
      "Not logged in\n",
      "✓ Logged in as simulated@example.com\n",
    ]);
  });
});

describe("agent about", () => {
  it("describes itself as JSON", async () => {
    const { stdout } = await sandbox.run(["about", "--format", "json"]);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual([
      ...["cliVersion", "latestStatus", "latestVersion", "model", "subscriptionTier", "osPlatform", "osArch"],
      ...["userEmail", "terminalProgram", "shell", "lastRequestId"],
    ]);
  });

  it("describes itself in padded columns", async () => {
    const { stdout } = await sandbox.run(["about"], { scenario: { version: "2030.01.01-abcdef0" } });
    expect(stdout).toMatch(/^About Cursor CLI\n\nCLI Version {9}2030\.01\.01-abcdef0\n/);
  });
});

describe("agent create-chat", () => {
  it("prints the id of a chat that --resume then uses", async () => {
    const id = (await sandbox.run(["create-chat"])).stdout.trim();
    expect(existsSync(join(findChatsDir(sandbox.configDir, sandbox.workspace), id, "store.db"))).toBe(true);
    expect((await sandbox.turn("hi", ["--resume", id]))[0]).toMatchObject({ session_id: id });
  });
});

describe("the commands that need a screen", () => {
  it.each(["ls", "resume"])("%s fails as Ink does without one", async (command) => {
    const { code, stdout, stderr } = await sandbox.run([command]);
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([
      1,
      "",
      "ERROR  Raw mode is not supported on the current process.stdin, which Ink uses as input stream by default.",
    ]);
  });
});

describe("agent mcp", () => {
  const configure = () => {
    const server = fileURLToPath(new URL("../mcp/testing/fixture-server.ts", import.meta.url));
    sandbox.write(
      ".cursor/mcp.json",
      JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [server] } } }),
    );
  };

  it("lists nothing where nothing is configured", async () => {
    expect(await sandbox.run(["mcp", "list"])).toMatchObject({
      code: 0,
      stdout: "No MCP servers configured (expected in .cursor/mcp.json or ~/.cursor/mcp.json)\n",
    });
  });

  it("shows a server as approved once it is enabled, and off once it is disabled", async () => {
    configure();
    const list = async () => (await sandbox.run(["mcp", "list"])).stdout;
    const before = await list();
    const enabled = await sandbox.run(["mcp", "enable", "local"]);
    const ready = await list();
    await sandbox.run(["mcp", "disable", "local"]);
    expect([before, enabled.code, ready, await list()]).toEqual([
      "local: not loaded (needs approval)\n",
      0,
      "local: ready\n",
      "local: disabled\n",
    ]);
  });

  it("refuses names it does not know", async () => {
    for (const verb of ["enable", "disable", "login"]) {
      expect(await sandbox.run(["mcp", verb, "nobody"])).toMatchObject({
        code: 1,
        stderr: 'Error: MCP server "nobody" not found in configuration.\n',
      });
    }
  });

  it("connects an unapproved server in a turn only with --approve-mcps", async () => {
    configure();
    const tool = { server: "local", name: "echo", args: { text: "HELLO" } };
    const scenario = { turns: [[{ tool }]] };
    const callOf = async (args: readonly string[]) => {
      const events = await sandbox.turn("go", args, { scenario });
      return callBody(
        events.find(({ subtype }) => subtype === "completed"),
        "mcpToolCall",
      );
    };
    expect(await callOf(["--force", "--approve-mcps"])).toMatchObject({
      args: { name: "local-echo", providerIdentifier: "local", toolName: "echo" },
      result: { success: { content: [{ text: { text: expect.stringContaining("HELLO") } }], isError: false } },
    });
    expect(await callOf(["--force"])).not.toHaveProperty("result.success");
    expect(readdirSync(sandbox.workspace)).toEqual([".cursor"]);
  });
});

describe("the log", () => {
  it("has one line for every invocation, with argv and environment but no secret", async () => {
    const env = { CURSOR_API_KEY: "key_secret_1" };
    for (const args of [["--version"], ["models"], ["--fork"], ["-p", "--trust", "hi"]])
      await sandbox.run(args, { env });
    const lines = sandbox.log();
    expect(lines.map(({ argv }) => argv)).toEqual([["--version"], ["models"], ["--fork"], ["-p", "--trust", "hi"]]);
    expect(lines[0]).toMatchObject({
      event: "invocation",
      cwd: sandbox.workspace,
      env: { names: expect.arrayContaining(["CURSOR_API_KEY"]), values: { CURSOR_CONFIG_DIR: sandbox.configDir } },
      pid: expect.any(Number),
    });
    expect(JSON.stringify(lines)).not.toContain("key_secret_1");
  });
});
