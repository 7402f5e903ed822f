import { type Command, Option } from "commander";
import { loadCliConfig } from "./cli-config.ts";
import { authenticationRequiredForModels, requireCredentials } from "./credentials.ts";
import { renderModels } from "./model-catalogue.ts";
import type { Simulation } from "./simulation.ts";

/** The flags of the CLI, as commander hands them over. */
export interface GlobalOptions {
  readonly print?: boolean;
  readonly outputFormat: string;
  readonly streamPartialOutput?: boolean;
  readonly model?: string;
  readonly listModels?: boolean;
  readonly mode?: string;
  readonly plan?: boolean;
  readonly force?: boolean;
  readonly yolo?: boolean;
  readonly trust?: boolean;
  readonly approveMcps?: boolean;
  readonly workspace?: string;
  readonly resume?: string | true;
  readonly continue?: boolean;
  readonly newSessionId?: string;
  readonly excludeTools?: string;
  readonly backgroundShellTimeout?: string;
  readonly worktree?: string | true;
  readonly worktreeBase?: string;
  readonly apiKey?: string;
  readonly authToken?: string;
}

/** Flags in the order of the real help; those without an effect here are accepted all the same. */
export function addGlobalOptions(command: Command): Command {
  const repeatable = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  const hidden = (flags: string) => new Option(flags).hideHelp();
  return command
    .option("--api-key <key>", "API key for authentication (can also use CURSOR_API_KEY env var)")
    .option("-H, --header <header>", "Add custom header to agent requests (format: 'Name: Value')", repeatable)
    .option("-p, --print", "Print responses to console (for scripts or non-interactive use)")
    .option("--output-format <format>", "Output format (only works with --print): text | json | stream-json", "text")
    .option("--stream-partial-output", "Stream partial output as individual text deltas")
    .option("-c, --cloud", "Start in cloud mode")
    .option("--mode <mode>", "Start in the given execution mode: plan | ask")
    .option("--plan", "Start in plan mode (shorthand for --mode=plan)")
    .option("--resume [chatId]", "Select a session to resume")
    .option("--continue", "Continue previous session")
    .option("--model <model>", "Model to use")
    .option("--list-models", "List available models and exit")
    .option("-f, --force", "Force allow commands unless explicitly denied")
    .option("--yolo", "Alias for --force (Run Everything)")
    .option("--auto-review", "Use the auto-review approval mode")
    .option("--sandbox <mode>", "Explicitly enable or disable sandbox mode: enabled | disabled")
    .option("--approve-mcps", "Automatically approve all MCP servers")
    .option("--trust", "Trust the current workspace without prompting (only works with --print)")
    .option("--workspace <path>", "Workspace directory to use")
    .option("--add-dir <path>", "Additional directory to allow access to", repeatable)
    .option("--plugin-dir <path>", "Plugin directory to load", repeatable)
    .option("-n, --name <name>", "Name of the session")
    .option("-w, --worktree [name]", "Start in an isolated git worktree")
    .option("--worktree-base <branch>", "Branch or ref to base the new worktree on")
    .option("--skip-worktree-setup", "Skip running worktree setup scripts")
    .addOption(hidden("--auth-token <token>"))
    .addOption(hidden("-e, --endpoint <url>"))
    .addOption(hidden("--agent-endpoint <url>"))
    .addOption(hidden("-k, --insecure"))
    .addOption(hidden("--new-session-id <uuid>"))
    .addOption(hidden("--background-shell-timeout <seconds>"))
    .addOption(hidden("--exclude-tools <keys>"));
}

export function listModels({ host, configDir, models }: Simulation, options: GlobalOptions): void {
  requireCredentials({ env: host.env, configDir, ...options }, authenticationRequiredForModels);
  const { modelId } = loadCliConfig(configDir);
  host.stdout.write(renderModels(models, modelId));
}
