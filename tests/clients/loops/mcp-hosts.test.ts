import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../gateway-process.ts";
import { claudeCode } from "./claude-code.ts";
import { type ClientPackage, installClient } from "./client-package.ts";
import { codex } from "./codex.ts";
import type { ClientPlace, CodingClient } from "./coding-client.ts";
import { runClient } from "./run-client.ts";
import { ScratchRepository } from "./scratch-repository.ts";

const inspector: ClientPackage = { spec: "@modelcontextprotocol/inspector@2.12.0", command: "mcp-inspector" };
const prompt = "create basket.txt with the content full";

let home: GatewayHome;
let repository: ScratchRepository;
let gateway: GatewayProcess;

beforeAll(async () => {
  for (const wanted of [claudeCode.package, codex.package, inspector]) await installClient(wanted);
});
beforeEach(async () => {
  home = new GatewayHome();
  repository = new ScratchRepository();
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", repository.directory] });
});
afterEach(async () => {
  await gateway.stop();
  home.remove();
  repository.remove();
});

/** Both ways to the same server, as the settings of a host say them. */
const ways = ["stdio", "http"] as const;
const command = (): readonly string[] => [process.execPath, caret, "mcp", "--lane", "sim"];

function claudeCodeBy(way: (typeof ways)[number]): CodingClient {
  const prepare: CodingClient["prepare"] = (place: ClientPlace) => {
    const { args, env } = claudeCode.prepare(place);
    const [file = "", ...rest] = command();
    const headers = { Authorization: `Bearer ${place.token}` };
    const server =
      way === "stdio"
        ? { command: file, args: rest, env: home.environment() }
        : { type: "http", url: `${place.url}/mcp`, headers };
    const settings = place.repository.keep("mcp.json", JSON.stringify({ mcpServers: { caret: server } }));
    const own = ["--mcp-config", settings, "--strict-mcp-config", "--allowedTools", "mcp__caret__run"];
    return {
      args: [...args.filter((arg) => arg !== "--allowedTools" && !arg.startsWith("Read,")), ...own, "--"],
      env: { ...env, ENABLE_TOOL_SEARCH: "false" },
    };
  };
  return { ...claudeCode, prepare };
}

function codexBy(way: (typeof ways)[number]): CodingClient {
  const prepare: CodingClient["prepare"] = (place: ClientPlace) => {
    const { args, env } = codex.prepare(place);
    const [file, ...rest] = command();
    const variables = Object.entries(home.environment()).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const server =
      way === "stdio"
        ? [`command="${file}"`, `args=${JSON.stringify(rest)}`, `env={ ${variables.join(", ")} }`]
        : [`url="${place.url}/mcp"`, 'bearer_token_env_var="CARET_TOKEN"'];
    // It would begin without the server where that takes long to start.
    const patient = [...server, "required=true", "startup_timeout_sec=60"];
    const settings = patient.flatMap((setting) => ["-c", `mcp_servers.caret.${setting}`]);
    return { args: [...args, ...settings], env };
  };
  return { ...codex, prepare };
}

describe.each(ways)("over %s", (way) => {
  it.each([claudeCodeBy(way), codexBy(way)])("$name hands a task to an agent through `caret mcp`", async (host) => {
    const name = host.name === "Codex" ? "run" : "mcp__caret__run";
    // Codex says nothing of its roots to a server that it has not started.
    const task = `Call the tool ${name} with ${JSON.stringify({ prompt, workspace: repository.directory })}`;
    const { code, stdout } = await runClient(host, { ...gateway, repository }, task);
    const dispatched = home.prompts().filter((asked) => asked.trim() === prompt);
    expect({ code, stdout, basket: repository.basket(), dispatched }).toEqual({
      code: 0,
      stdout: expect.any(String),
      basket: "full",
      dispatched: [prompt],
    });
  });

  it("the MCP inspector lists the tools and calls one", async () => {
    const file = await installClient(inspector);
    const inspect = async (...args: readonly string[]): Promise<unknown> => {
      const [program = "", ...rest] = command();
      const target =
        way === "stdio"
          ? ["--cli", ...Object.entries(home.environment()).flatMap(([key, value]) => ["-e", `${key}=${value}`])]
          : [
              "--cli",
              `${gateway.url}/mcp`,
              "--transport",
              "http",
              "--header",
              `Authorization: Bearer ${gateway.token}`,
            ];
      const server = way === "stdio" ? [...target, program, ...rest] : target;
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: repository.home };
      const { stdout } = await promisify(execFile)(file, [...server, ...args], { cwd: repository.directory, env });
      return JSON.parse(stdout);
    };
    const { tools } = (await inspect("--method", "tools/list")) as { tools: readonly { name: string }[] };
    const wanted = ["--tool-arg", `prompt=${prompt}`, "--tool-arg", `workspace=${repository.directory}`];
    const called = await inspect("--method", "tools/call", "--tool-name", "run", ...wanted);
    expect([tools.map(({ name }) => name), called, repository.basket()]).toEqual([
      ["run", "start", "status", "result", "answer", "compare", "cancel"],
      expect.objectContaining({ structuredContent: expect.objectContaining({ state: "completed" }) }),
      "full",
    ]);
  });
});
