import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import type { TurnRequest } from "@caret/runtime";
import { simulatorCommand } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** An MCP server that writes down when it is started and which of its tools are called. */
const server = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [, , diary] = process.argv;
const tool = (name) => ({ name, inputSchema: { type: "object" } });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }),
  "tools/list": () => ({ tools: [tool("read"), tool("deploy")] }),
  "tools/call": ({ name }) => { appendFileSync(diary, "called " + name + "\\n"); return { content: [{ type: "text", text: "ran" }] }; },
};
appendFileSync(diary, "started\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }) + "\\n");
}
`;

let home: string;
let opened: OpenedEngine | undefined;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "caret-foreign-")));
  for (const name of ["project", ".cursor"]) mkdirSync(join(home, name));
  const { file, args } = simulatorCommand();
  const agent = `#!/bin/sh\nexec '${file}' '${args.join("' '")}' "$@"\n`;
  writeFileSync(join(home, "cursor-agent"), agent, { mode: 0o755 });
  writeFileSync(join(home, "server.mjs"), server);
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  rmSync(home, { recursive: true, force: true });
});

const diary = () => (existsSync(join(home, "diary")) ? readFileSync(join(home, "diary"), "utf8").split("\n") : []);

function haveServers(file: string, ...names: readonly string[]): void {
  const entry = { command: process.execPath, args: [join(home, "server.mjs"), join(home, "diary")] };
  const text = JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, entry])) });
  writeFileSync(join(home, file), text);
}

/** Outcomes of the agent's calls, by server and tool. */
async function play(steps: readonly object[], owner: Partial<TurnRequest>, containment: string) {
  const scenario = join(home, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ turns: [steps] }));
  const stream = () => new PassThrough();
  const host: Host = {
    argv: [],
    command: "caret",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CARET_LANE: "cli",
      CARET_CLI_COMMAND: join(home, "cursor-agent"),
      CARET_DATA_DIR: join(home, "data"),
      CARET_CONTAINMENT: containment,
      CARET_SIM_SCENARIO: scenario,
    },
    cwd: home,
    home,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
  const { config } = loadConfig({ ...host, flags: {}, readFile: () => undefined });
  const workspace = join(scratchRoot(config), "session");
  mkdirSync(workspace, { recursive: true });
  opened = await openEngine(host, config, { workspaces: [join(home, "project")], keepWarm: false });
  const turn = await opened.engine.startTurn({ prompt: "Go on", workspace, force: true, ...owner });
  const calls: string[] = [];
  for await (const batch of turn.follow()) {
    for (const { event } of batch) if (event.type === "tool-result") calls.push(event.status);
    for (const { callId } of turn.parked?.open() ?? []) turn.parked?.answer(callId, { text: "done", isError: false });
  }
  await turn.settled;
  return { calls, diary: diary() };
}

/**
 * The simulated agent by itself, as Caret starts it; the results of its calls as it emits them. Not synchronously: its bridge
 * waits for an answer of this process.
 */
async function runAgent(workspace: string, steps: readonly object[]): Promise<readonly string[]> {
  const scenario = join(home, "alone.json");
  writeFileSync(scenario, JSON.stringify({ turns: [steps] }));
  const { file, args } = simulatorCommand();
  const print = ["-p", "--output-format", "stream-json", "--trust", "--force", "--workspace", workspace, "Go on"];
  const env = { PATH: process.env["PATH"], HOME: home, CARET_SIM_SCENARIO: scenario };
  const running = promisify(execFile)(file, [...args, ...print], { env });
  running.child.stdin?.end();
  const { stdout } = await running;
  return stdout.split("\n").filter((line) => line.includes('"subtype":"completed"') && line.includes('"tool_call"'));
}

const call = (server: string, name: string, args: object = {}) => ({ tool: { server, name, args } });
const byClient = (): Partial<TurnRequest> => ({
  clientTools: { tools: [{ name: "read", inputSchema: {} }], system: "", realWorkspace: join(home, "project") },
});
const byGateway = (): Partial<TurnRequest> => ({
  gatewayTools: { system: "", realWorkspace: join(home, "project"), permission: "supervised" },
});

describe.each(["off", "auto"])(
  "the user's own MCP servers, while Caret or the client runs the tools (containment %s)",
  (mode) => {
    it.each([
      ["the gateway", byGateway],
      ["a client", byClient],
    ])(
      "cannot be called without a question: %s",
      async (_who, owner) => {
        haveServers(".cursor/mcp.json", "mine");
        const attempts = [
          call("mine", "read", { path: "a" }),
          call("mine", "deploy", { tool_name: "MCP:read" }),
          call("mine", "deploy", { note: '"tool_name":"MCP:read"' }),
        ];
        const { calls, diary } = await play(attempts, owner(), mode);
        expect({ succeeded: calls.filter((status) => status === "ok"), diary }).toEqual({ succeeded: [], diary: [] });
      },
      60_000,
    );
  },
);

describe("the permissions of an agent whose tools a client or Caret runs", () => {
  it("deny its own tools by themselves, without the hook, wherever a file is", async () => {
    await play([call("caret", "read", { path: "a" })], byClient(), "off");
    const workspace = join(home, "data", "scratch", "session");
    rmSync(join(workspace, ".cursor", "hooks.json"));
    writeFileSync(join(home, "project", "kept.txt"), "kept");
    const paths = [join(home, "project", "kept.txt"), join(workspace, ".cursor", "cli.json"), "/etc/hostname"];
    const attempts = paths.flatMap((path) => [
      { tool: { name: "read", args: { path } } },
      { tool: { name: "write", args: { path, fileText: "bad" } } },
      { tool: { name: "delete", args: { path } } },
    ]);
    const shell = { tool: { name: "shell", args: { command: "true" } } };
    const fetch = { tool: { name: "webFetch", args: { url: "https://a.example.com/x" } } };
    const results = await runAgent(workspace, [...attempts, shell, fetch]);
    expect({ count: results.length, passed: results.filter((result) => result.includes('"success"')) }).toEqual({
      count: 11,
      passed: [],
    });
    expect(readFileSync(join(home, "project", "kept.txt"), "utf8")).toBe("kept");
  }, 60_000);
});

describe("the bridge, beside servers of the user's", () => {
  it("is reached under another name where one of them has its name", async () => {
    haveServers(".cursor/mcp.json", "caret", "mine");
    const played = await play([call("caret", "read"), call("caret-2", "read", { path: "a" })], byClient(), "off");
    expect(played).toEqual({ calls: [expect.stringMatching(/error|rejected/), "ok"], diary: [] });
  }, 60_000);

  it("leaves them alone where the agent runs its own tools", async () => {
    haveServers(".cursor/mcp.json", "mine");
    const { calls, diary } = await play([call("mine", "read", { path: "a" })], {}, "off");
    expect({ calls, diary }).toEqual({ calls: ["ok"], diary: ["started", "called read", ""] });
  }, 60_000);
});
