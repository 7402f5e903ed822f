import type { Command } from "commander";
import type { McpHub } from "../mcp/mcp-hub.ts";
import { CliFailure } from "./cli-failure.ts";
import { toPhysicalPath } from "./config-dir.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { Simulation } from "./simulation.ts";

/** `mcp list|list-tools|enable|disable|login`: there is no `add`, servers come from the configuration files. */
export function addMcpCommands(program: Command, simulation: Simulation): void {
  const { host } = simulation;
  const place = () => {
    const { workspace = host.cwd } = program.opts<GlobalOptions>();
    return { workspace: toPhysicalPath(workspace), configDir: simulation.configDir };
  };
  const mcp = program.command("mcp").description("Manage MCP servers");
  mcp
    .command("list")
    .description("List configured MCP servers and their status")
    .action(async () => {
      const { describeServers } = await import("../mcp/mcp-report.ts");
      host.stdout.write(`${await withHub(simulation, place(), describeServers)}\n`);
    });
  mcp
    .command("list-tools")
    .argument("<identifier>")
    .description("List available tools for a server")
    .action(async (name: string) => {
      const { describeTools } = await import("../mcp/mcp-report.ts");
      const text = await withHub(simulation, place(), (hub) => describeTools(hub, name));
      if (text === undefined) throw new CliFailure(`Error: MCP server "${name}" is not loaded.`);
      host.stdout.write(`${text}\n`);
    });
  for (const [verb, done] of [
    ["enable", "enabled and approved"],
    ["disable", "disabled"],
  ] as const) {
    mcp
      .command(verb)
      .argument("<identifier>")
      .action(async (name: string) => {
        const { enableMcpServer, disableMcpServer } = await import("../mcp/mcp-servers.ts");
        const isKnown = (verb === "enable" ? enableMcpServer : disableMcpServer)(name, place());
        if (!isKnown) throw new CliFailure(unknownServer(name));
        host.stdout.write(`✓ MCP server "${name}" ${done}\n`);
      });
  }
  mcp
    .command("login")
    .argument("<identifier>")
    .description("Authenticate with an MCP server")
    .action(async (name: string) => {
      const { listMcpServers } = await import("../mcp/mcp-servers.ts");
      const isKnown = listMcpServers({ ...place(), approveMcps: false }).some((server) => server.name === name);
      throw new CliFailure(isKnown ? `Error: MCP server "${name}" does not support login.` : unknownServer(name));
    });
}

function unknownServer(name: string): string {
  return `Error: MCP server "${name}" not found in configuration.`;
}

async function withHub<Value>(
  { host }: Simulation,
  place: { readonly workspace: string; readonly configDir: string },
  read: (hub: McpHub) => Value,
): Promise<Value> {
  const { connectMcp } = await import("../mcp/mcp-hub.ts");
  // `--approve-mcps` counts in turns only: listing must not start what nobody has approved.
  const hub = await connectMcp({ ...place, approveMcps: false, env: host.env });
  try {
    return read(hub);
  } finally {
    await hub.close();
  }
}
