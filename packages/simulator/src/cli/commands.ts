import type { Command } from "commander";
import { openChat } from "../chat/chat-store.ts";
import { addAccountCommands } from "./account-commands.ts";
import { loadCliConfig } from "./cli-config.ts";
import { CliFailure } from "./cli-failure.ts";
import { findChatsDir, toPhysicalPath } from "./config-dir.ts";
import { requireCredentials } from "./credentials.ts";
import type { GlobalOptions } from "./global-options.ts";
import { listModels } from "./list-models.ts";
import { addMcpCommands } from "./mcp-commands.ts";
import { freshSessionId } from "./resolve-session.ts";
import type { Simulation } from "./simulation.ts";

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
  const modelId = options.model ?? loadCliConfig(configDir, host.pid).modelId;
  openChat({ chatsDir, sessionId, workspace, mode: "default", modelId, now: host.now }).close();
  return sessionId;
}
