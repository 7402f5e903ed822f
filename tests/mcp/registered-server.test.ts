import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { AgentEventOf, CreateAgent, NativeClient } from "@caret/protocol";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { type ScenarioInput, simulatorCommand } from "@caret/simulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caret as program } from "../clients/gateway-process.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";

const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
const fixture = fileURLToPath(new URL("../../packages/simulator/src/mcp/testing/fixture-server.ts", import.meta.url));

const tool = (name: string, args: Record<string, unknown> = {}, server = "caret") => ({ tool: { server, name, args } });
/** What a sandboxed agent sees of the directory in which Caret keeps those of all agents. */
const LOOK = 'ls {{agents}}; ls {{agents}}/eve; touch .cursor/x 2>/dev/null || echo ".cursor is read-only"';
const scenario: ScenarioInput = {
  turns: [
    { when: "who is there", steps: [tool("list_agents")] },
    { when: "write to nobody", steps: [tool("send_message", { to: "nobody", text: "Hello" })] },
    { when: "write badly", steps: [tool("send_message", { text: 5 })] },
    { when: "make another", steps: [tool("spawn_agent", { name: "cid", task: "Work" })] },
    {
      when: "look around (?<agents>\\S+)",
      steps: [tool("list_agents"), { tool: { name: "shell", args: { command: LOOK } } }],
    },
    { when: "use the servers", steps: [tool("echo", { text: "mine" }, "mine")] },
  ],
};

let gateway: MortalGateway;
let caret: NativeClient;
const workspace = (): string => gateway.home.workspace;
const configDir = (): string => join(gateway.home.dataDir, "simulator");
const agentDir = (name: string): string => join(gateway.home.dataDir, "agents", name);

beforeAll(async () => {
  const rules = JSON.stringify([{ effect: "deny", tool: "spawn_agent" }]);
  gateway = await MortalGateway.start(scenario, { env: { CARET_TOOLS_RULES: rules } });
  caret = gateway.client();
  mkdirSync(configDir(), { recursive: true });
  const mine = { command: process.execPath, args: [fixture] };
  writeFileSync(join(configDir(), "mcp.json"), JSON.stringify({ mcpServers: { mine } }));
});
afterAll(() => gateway.remove());

function create(name: string, more: Partial<CreateAgent> = {}) {
  return caret.createAgent({ name, workspace: workspace(), permission: "full", lane: "sim", ...more });
}

type Result = Pick<AgentEventOf<"tool-result">, "status" | "output">;

/** Gives an agent a message, waits until it has worked it off, and gives the results of its calls. */
async function tell(name: string, text: string, client = caret): Promise<readonly Result[]> {
  const { sessionId, lastSeq } = await client.getAgent(name);
  await client.sendMessage(name, { text });
  await expect.poll(async () => (await client.getAgent(name)).doing.kind).toBe("idle");
  const { events } = await client.readLog(sessionId, { after: lastSeq, limit: 1_000 });
  return events.flatMap(({ event }) =>
    event.type === "tool-result" ? [{ status: event.status, output: event.output }] : [],
  );
}

function approvals(): readonly string[] {
  const projects = join(configDir(), "projects");
  const [slug = ""] = existsSync(projects) ? readdirSync(projects) : [];
  const file = join(projects, slug, "mcp-approvals.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : [];
}

async function caretMcp(...args: readonly string[]): Promise<string> {
  const env = { ...gateway.home.environment(), CARET_LANE: "sim" };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [program, "mcp", ...args], { env, cwd: gateway.home.directory });
  return stdout;
}

/** Says hello at an agent's socket and gives the line that it is answered with. */
async function hello(name: string, line: object): Promise<unknown> {
  const socket = connect(join(agentDir(name), "agent.sock")).setEncoding("utf8");
  socket.write(`${JSON.stringify(line)}\n`);
  const [reply] = (await once(socket, "data")) as [string];
  socket.destroy();
  return JSON.parse(reply.split("\n")[0] ?? "");
}

describe("an agent that runs its own tools", () => {
  it("calls those of Caret's server, in its own name, and nothing is left in its workspace", async () => {
    await create("ann");
    const [listed] = await tell("ann", "See who is there");
    const servers = JSON.parse(readFileSync(join(agentDir("ann"), "config", "mcp.json"), "utf8")) as {
      readonly mcpServers: Record<string, unknown>;
    };
    expect({
      listed,
      servers: Object.keys(servers.mcpServers),
      approved: approvals(),
      left: readdirSync(workspace()),
      mode: statSync(join(agentDir("ann"), "agent.sock")).mode & 0o777,
    }).toEqual({
      listed: { status: "ok", output: JSON.stringify({ you: "ann", agents: [] }, undefined, 2) },
      servers: ["caret"],
      approved: [expect.stringMatching(/^caret-[0-9a-f]{16}$/)],
      left: [],
      mode: 0o600,
    });
  });

  it("reads what went wrong as the result of its call: unknown agents, wrong arguments, what a rule denies", async () => {
    const results = [
      await tell("ann", "write to nobody"),
      await tell("ann", "write badly"),
      await tell("ann", "make another"),
    ];
    expect(results.flat().map(({ status, output }) => [status, output])).toEqual([
      ["error", expect.stringContaining("There is no agent nobody")],
      ["error", expect.stringContaining("Invalid arguments for send_message")],
      ["error", expect.stringContaining("spawn_agent was not run: a rule says so")],
    ]);
  });

  it.runIf(isFullRun())("has the user's own servers when that was chosen", async () => {
    const without = await tell("ann", "use the servers");
    await caret.changeAgent("ann", { userServers: true });
    expect([without, await tell("ann", "use the servers")]).toEqual([
      [{ status: "error", output: expect.stringContaining("mine") }],
      [{ status: "ok", output: "ECHOED: mine" }],
    ]);
  });

  it.runIf(isFullRun())("shows its servers by `caret mcp list`, and those of a workspace", async () => {
    const ofAgent = await caretMcp("list", "--agent", "ann");
    const tools = await caretMcp("list-tools", "caret", "--agent", "ann");
    const ofWorkspace = await caretMcp("list", "--workspace", workspace());
    await caretMcp("disable", "mine", "--workspace", workspace());
    const after = await caretMcp("list", "-w", workspace());
    await caretMcp("enable", "mine", "--workspace", workspace());
    expect({ ofAgent, tools: tools.split("\n")[0], ofWorkspace, after }).toEqual({
      ofAgent: "mine: ready\ncaret: ready\n",
      tools: "Tools for caret (7):",
      ofWorkspace: "mine: ready\n",
      after: "mine: disabled\n",
    });
  });

  it.runIf(isFullRun())("remembers: its chats are those of the user's directory", async () => {
    await tell("ann", "Remember that the word is plum.");
    await tell("ann", "What did I ask you to remember?");
    expect((await caret.getAgent("ann")).lastLine).toContain("plum");
  });
});

describe.runIf(isFullRun())("an agent of the acp lane that runs its own tools", () => {
  it("is given Caret's server with its session, approved", async () => {
    const directory = mkdtempSync(join(tmpdir(), "caret-agent-"));
    const agent = join(directory, "agent");
    const { file, args } = simulatorCommand();
    writeFileSync(agent, `#!/bin/sh\nexec '${file}' '${args.join("' '")}' "$@"\n`, { mode: 0o755 });
    const other = await MortalGateway.start(scenario, {
      args: ["--lane", "acp", "--port", "0"],
      env: { CARET_CLI_COMMAND: agent, CARET_WORKSPACES_ALLOW: directory },
    });
    const client = other.client();
    const { sessionId } = await client.createAgent({ name: "ivy", workspace: directory, permission: "full" });
    expect(await tell("ivy", "See who is there", client)).toEqual([
      { status: "ok", output: expect.stringContaining('"you": "ivy"') },
    ]);
    expect((await client.getSession(sessionId)).lane).toBe("acp");
    await other.remove();
    rmSync(directory, { recursive: true });
  });
});

describe("the socket of an agent", () => {
  it("is for that agent alone, in one version, and says what is wrong with another hello", async () => {
    expect([
      await hello("ann", { caret: 1, agent: "ann" }),
      await hello("ann", { caret: 1, agent: "bob" }),
      await hello("ann", { caret: 2, agent: "ann" }),
      await hello("ann", {}),
    ]).toEqual([
      { caret: 1, agent: "ann" },
      { caret: 1, error: expect.objectContaining({ code: "forbidden" }) },
      { caret: 1, error: expect.objectContaining({ code: "unsupported" }) },
      { caret: 1, error: expect.objectContaining({ code: "invalid-request" }) },
    ]);
  });

  it.runIf(isFullRun())("is there again after a restart, and gone with its agent, as is the approval", async () => {
    await gateway.dieAndReturn();
    caret = gateway.client();
    await expect
      .poll(() => hello("ann", { caret: 1, agent: "ann" }).catch(() => undefined))
      .toEqual({ caret: 1, agent: "ann" });
    await caret.removeAgent("ann", {});
    expect([existsSync(agentDir("ann")), approvals().filter((id) => id.startsWith("caret-"))]).toEqual([false, []]);
  });
});

describe.skipIf(!hasBubblewrap)("an agent in a sandbox that runs its own tools", () => {
  it("calls Caret's server, which is the only thing of Caret's that it reaches", async () => {
    await create("eve", { sandbox: "strict" });
    const [listed, seen] = await tell("eve", `look around ${join(gateway.home.dataDir, "agents")}`);
    expect([listed, seen]).toEqual([
      { status: "ok", output: expect.stringContaining('"you": "eve"') },
      { status: "ok", output: "eve\nagent.sock\n.cursor is read-only\n" },
    ]);
    await expect.poll(() => readdirSync(workspace())).toEqual([]);
  });

  it("warns in the first turn of more tools than an agent takes, counted where the agent runs", async () => {
    const mcpJson = join(configDir(), "mcp.json");
    const before = readFileSync(mcpJson, "utf8");
    const many = { command: process.execPath, args: ["-e", serverOf(40)] };
    writeFileSync(mcpJson, JSON.stringify({ mcpServers: { many } }));
    await create("fay", { sandbox: "on", userServers: true });
    const { sessionId, lastSeq } = await caret.getAgent("fay");
    await tell("fay", "See who is there");
    const { events } = await caret.readLog(sessionId, { after: lastSeq, limit: 1_000 });
    writeFileSync(mcpJson, before);
    const notices = events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
    expect(notices).toEqual([expect.stringContaining("(many) have 40 tools")]);
  });
});

/** A server of MCP with so many tools. */
function serverOf(count: number): string {
  return `
const tools = Array.from({ length: ${count} }, (_, index) => ({ name: "t" + index, inputSchema: { type: "object" } }));
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "many", version: "1" } },
  "tools/list": { tools },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
});`;
}
