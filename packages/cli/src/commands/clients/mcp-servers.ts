import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type AgentView, CaretError, type LaneName } from "@caret/protocol";
import { type McpCommand, runMcpCommand } from "@caret/runtime";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import type { Config } from "../../config/config-schema.ts";
import { openProbeHosts } from "../../doctor/probe-hosts.ts";
import { chooseLane } from "../../engine/choose-lane.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { write } from "../../terminal/print.ts";
import { cleanText } from "../../terminal/text-cleaner.ts";
import { agentsRoot } from "../../workspaces/workspace-access.ts";
import { withAgents } from "../agents/agent-work.ts";

interface ServerOptions extends Readonly<Record<string, unknown>> {
  readonly agent?: string;
  readonly workspace?: string;
}

const verbs = [
  ["list-tools", "list the tools of an MCP server"],
  ["enable", "approve an MCP server"],
  ["disable", "switch an MCP server off"],
  ["login", "log in at an MCP server"],
] as const;

/** The MCP servers of Cursor's agent in a workspace, listed and changed through its own CLI. */
export function addServerCommands(mcp: Command, host: Host, done: (code: ExitCode) => void): void {
  const list = mcp.command("list").description("list the MCP servers of an agent or a workspace, and how they stand");
  finish(list).action(async (_: ServerOptions, own: Command) => done(await manage(host, ["list"], optionsOf(own))));
  for (const [verb, description] of verbs)
    finish(mcp.command(verb).description(description).argument("<server>", "its name")).action(
      async (server: string, _: ServerOptions, own: Command) =>
        done(await manage(host, [verb, server], optionsOf(own))),
    );
}

/** `caret mcp` takes any option it has itself, wherever it is typed. */
function optionsOf(command: Command): ServerOptions {
  return command.optsWithGlobals<ServerOptions>();
}

function finish(command: Command): Command {
  return addConfigFlags(
    command
      .option("--agent <name>", "a named agent")
      .option("-w, --workspace <dir>", "a workspace (default: the current directory)"),
  );
}

async function manage(host: Host, args: readonly string[], options: ServerOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, options);
  const { agent, workspace = "." } = options;
  if (agent === undefined)
    return await ask(host, config, { args, workspace: resolve(host.cwd, workspace), configDir: undefined });
  return await withAgents(host, options, async ({ client }) => {
    const view = await client.getAgent(agent);
    return await ask(host, config, commandFor(config, view, args), view.lane);
  });
}

function commandFor(config: Config, agent: AgentView, args: readonly string[]): McpCommand {
  const { name, permission, sandbox, workspace } = agent;
  if (permission !== "full")
    throw new CaretError("unsupported", `Caret runs the tools of ${name}: it has no MCP servers of its own`, {
      fix: "The gateway's servers are under `mcp.servers` of the settings.",
    });
  if (sandbox !== "off")
    throw new CaretError("unsupported", `${name} works in a sandbox, where it has Caret's server and those you chose`, {
      fix: `Choose with \`caret agent set ${name} --user-servers\` or \`--no-user-servers\`.`,
    });
  const configDir = join(agentsRoot(config), name, "config");
  if (existsSync(configDir)) return { args, workspace, configDir };
  throw new CaretError("not-found", `${name} has not had a turn yet: its servers are registered with the first`, {
    fix: `Send it a message: \`caret agent send ${name} "…"\`.`,
  });
}

async function ask(host: Host, config: Config, command: McpCommand, ofAgent?: LaneName): Promise<ExitCode> {
  const hosts = openProbeHosts(host, config);
  try {
    const lane = ofAgent ?? (await chooseLane(config, hosts.cli)).lane;
    const print = (text: string): void => void host.stdout.write(cleanText(text));
    const { code, stderr } = await runMcpCommand(lane === "sim" ? hosts.sim : hosts.cli, command, print);
    if (code !== 0) await write(host.stderr, cleanText(stderr));
    return code === 0 ? exitCodes.completed : exitCodes.failed;
  } finally {
    await hosts.close();
  }
}
