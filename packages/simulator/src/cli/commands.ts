import type { Command } from "commander";
import { openChat } from "../chat/chat-store.ts";
import { loadCliConfig } from "../config/cli-config.ts";
import { findChatsDir, toPhysicalPath } from "../config/config-dir.ts";
import { requireCredentials } from "../config/credentials.ts";
import { type GlobalOptions, listModels } from "../config/global-options.ts";
import type { Simulation } from "../config/simulation.ts";
import type { McpHub } from "../mcp/mcp-hub.ts";
import { CliFailure } from "../process/cli-failure.ts";
import { addAccountCommands } from "./account-commands.ts";
import { freshSessionId } from "./resolve-session.ts";

/** What Ink says when a screen is wanted and there is none. */
const noScreen = [
  "ERROR  Raw mode is not supported on the current process.stdin, which Ink uses as input stream by default.",
  "       Read about how to prevent this error on https://github.com/vadimdemedes/ink/#israwmodesupported",
].join("\n");

/** Every subcommand; those the simulator has no use for say so instead of pretending. */
export function addCommands(program: Command, simulation: Simulation): void {
  const { host } = simulation;
  const needsScreen = () => {
    throw new CliFailure(noScreen);
  };
  addAccountCommands(program, simulation);
  addMcpCommands(program, simulation);
  program
    .command("acp")
    .description("Start the Cursor Agent as an ACP server over stdio")
    .action(async () => {
      const { runAcp } = await import("../acp/run-acp.ts");
      await runAcp(simulation, program.opts<GlobalOptions>());
    });
  program
    .command("models")
    .description("List available models for this account")
    .action(() => listModels(simulation, program.opts<GlobalOptions>()));
  program
    .command("create-chat")
    .description("Create a new empty chat and return its ID")
    .action(() => {
      host.stdout.write(`${createChat(simulation, program.opts<GlobalOptions>())}\n`);
    });
  program.command("ls").description("Resume a chat session").action(needsScreen);
  program.command("resume").description("Resume the latest chat session").action(needsScreen);
  program
    .command("update")
    .description("Update Cursor Agent to the latest version")
    .action(() => {
      host.stdout.write(`Already up to date (${simulation.version})\n`);
    });
}

function createChat({ host, configDir, ids }: Simulation, options: GlobalOptions): string {
  requireCredentials({ env: host.env, configDir, ...options });
  const workspace = toPhysicalPath(options.workspace ?? host.cwd);
  const chatsDir = findChatsDir(configDir, workspace);
  const sessionId = freshSessionId(chatsDir, ids);
  const modelId = options.model ?? loadCliConfig(configDir).modelId;
  openChat({ chatsDir, sessionId, workspace, mode: "default", modelId, now: host.now }).close();
  return sessionId;
}

/** `mcp list|list-tools|enable|disable|login`: there is no `add`, servers come from the configuration files. */
function addMcpCommands(program: Command, simulation: Simulation): void {
  const { host } = simulation;
  const directories = () => {
    const { workspace = host.cwd } = program.opts<GlobalOptions>();
    return { workspace: toPhysicalPath(workspace), configDir: simulation.configDir };
  };
  const mcp = program.command("mcp").description("Manage MCP servers");
  mcp
    .command("list")
    .description("List configured MCP servers and their status")
    .action(async () => {
      const { describeServers } = await import("../mcp/mcp-report.ts");
      host.stdout.write(`${await withHub(simulation, directories(), describeServers)}\n`);
    });
  mcp
    .command("list-tools")
    .argument("<identifier>")
    .description("List available tools for a server")
    .action(async (name: string) => {
      const { describeTools } = await import("../mcp/mcp-report.ts");
      const text = await withHub(simulation, directories(), (hub) => describeTools(hub, name));
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
        const isKnown = (verb === "enable" ? enableMcpServer : disableMcpServer)(name, directories());
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
      const isKnown = listMcpServers({ ...directories(), approveMcps: false }).some((server) => server.name === name);
      throw new CliFailure(isKnown ? `Error: MCP server "${name}" does not support login.` : unknownServer(name));
    });
}

function unknownServer(name: string): string {
  return `Error: MCP server "${name}" not found in configuration.`;
}

async function withHub<Value>(
  { host }: Simulation,
  directories: { readonly workspace: string; readonly configDir: string },
  read: (hub: McpHub) => Value,
): Promise<Value> {
  const { connectMcp } = await import("../mcp/mcp-hub.ts");
  // `--approve-mcps` counts in turns only: listing must not start what nobody has approved.
  const hub = await connectMcp({ ...directories, approveMcps: false, env: host.env });
  try {
    return read(hub);
  } finally {
    await hub.close();
  }
}
