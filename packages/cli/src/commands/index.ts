import type { Command } from "commander";
import type { ExitCode, Host } from "../host/host.ts";

export type AddCommand = (program: Command, host: Host, done: (code: ExitCode) => void) => void;

export interface CommandEntry {
  /** Its heading in the help. */
  readonly group: string;
  /** Its line in the list of commands, available without loading anything. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<AddCommand>;
}

const start = "Start here:";
const kept = "What is kept:";
const setUp = "Set-up:";
const recordings = "Recordings:";

/** Every command and where it lives, in help order. Only the requested one is loaded, so commands start fast. */
export const commands: ReadonlyMap<string, CommandEntry> = new Map([
  [
    "serve",
    {
      group: start,
      usage: "[options]",
      summary: "serve Cursor's agent to OpenAI, Anthropic and other clients",
      load: async () => {
        const { forkSpawner } = await import("@caret/runtime/fork-spawner");
        // It boots while the gateway loads. A `serve` that starts no gateway ends it on exit.
        const spawner = process.platform === "win32" ? undefined : forkSpawner();
        const { addServeCommand } = await import("./gateway/serve.ts");
        return (program, host, done) => addServeCommand(program, host, done, spawner);
      },
    },
  ],
  [
    "worker",
    {
      group: start,
      usage: "[options]",
      summary: "run turns of a fleet on this machine",
      load: async () => (await import("./gateway/worker.ts")).addWorkerCommand,
    },
  ],
  [
    "chat",
    {
      group: start,
      usage: "[options] [prompt...]",
      summary: "talk with the agent in this terminal",
      load: async () => (await import("./turns/chat.ts")).addChatCommand,
    },
  ],
  [
    "run",
    {
      group: start,
      usage: "[options] [prompt...]",
      summary: "one turn in the terminal",
      load: async () => (await import("./turns/run.ts")).addRunCommand,
    },
  ],
  [
    "attach",
    {
      group: start,
      usage: "[options] <id>",
      summary: "join a session that runs anywhere: watch, answer, steer, stop",
      load: async () => (await import("./turns/attach.ts")).addAttachCommand,
    },
  ],
  [
    "approve",
    {
      group: start,
      usage: "[options] [id]",
      summary: "allow what a session waits for; without an id, list what waits",
      load: async () => (await import("./turns/decide.ts")).addApproveCommand,
    },
  ],
  [
    "deny",
    {
      group: start,
      usage: "[options] <id> [reason...]",
      summary: "reject what a session waits for",
      load: async () => (await import("./turns/decide.ts")).addDenyCommand,
    },
  ],
  [
    "stop",
    {
      group: start,
      usage: "[options] <id>",
      summary: "stop the turn of a session",
      load: async () => (await import("./turns/decide.ts")).addStopCommand,
    },
  ],
  [
    "agent",
    {
      group: start,
      usage: "[command]",
      summary: "named agents that work in the gateway, each in a workspace of its own",
      load: async () => (await import("./agents/agent.ts")).addAgentCommand,
    },
  ],
  [
    "acp",
    {
      group: start,
      usage: "[options]",
      summary: "an agent for editors that speak ACP, on standard input and output",
      load: async () => (await import("./clients/acp.ts")).addAcpCommand,
    },
  ],
  [
    "link",
    {
      group: start,
      usage: "[options]",
      summary: "a link that signs a browser in at the running gateway's page",
      load: async () => (await import("./gateway/link.ts")).addLinkCommand,
    },
  ],
  [
    "connect",
    {
      group: start,
      usage: "[options] [client]",
      summary: "how to make a client use this gateway: what to put where",
      load: async () => (await import("./clients/connect.ts")).addConnectCommand,
    },
  ],
  [
    "install",
    {
      group: start,
      usage: "[options] <client>",
      summary: "write a client's settings, so that it uses this gateway",
      load: async () => (await import("./clients/install.ts")).addInstallCommand,
    },
  ],
  [
    "uninstall",
    {
      group: start,
      usage: "[options] <client>",
      summary: "take back what `caret install` wrote",
      load: async () => (await import("./clients/uninstall.ts")).addUninstallCommand,
    },
  ],
  [
    "launch",
    {
      group: start,
      usage: "[options] <client> [args...]",
      summary: "start a client against the gateway, without writing to its files",
      load: async () => (await import("./clients/launch.ts")).addLaunchCommand,
    },
  ],
  [
    "compare",
    {
      group: start,
      usage: "[options] [prompt...]",
      summary: "one prompt for several models, each in a worktree; pick one and merge it",
      load: async () => (await import("./turns/compare.ts")).addCompareCommand,
    },
  ],
  [
    "mcp",
    {
      group: start,
      usage: "[options] [command]",
      summary: "an MCP server: Claude Code, Codex and other hosts hand work to agents",
      load: async () => (await import("./clients/mcp.ts")).addMcpCommand,
    },
  ],
  [
    "doctor",
    {
      group: start,
      usage: "[options]",
      summary: "check what Caret needs, and say what to do about what is missing",
      load: async () => (await import("./machine/doctor.ts")).addDoctorCommand,
    },
  ],
  [
    "status",
    {
      group: start,
      usage: "[options]",
      summary: "what runs, with what, and what it has used today, on one screen",
      load: async () => (await import("./gateway/status.ts")).addStatusCommand,
    },
  ],
  [
    "backup",
    {
      group: kept,
      usage: "[options] <directory>",
      summary: "copy sessions, agents, tokens and receipts, while the gateway runs",
      load: async () => (await import("./machine/backup.ts")).addBackupCommand,
    },
  ],
  [
    "sessions",
    {
      group: kept,
      usage: "[command]",
      summary: "Caret's own sessions: look at them, carry them, delete them",
      load: async () => (await import("./sessions/sessions.ts")).addSessionsCommand,
    },
  ],
  [
    "chats",
    {
      group: kept,
      usage: "[command]",
      summary: "the chats that the agent itself keeps; they are only read",
      load: async () => (await import("./sessions/chats.ts")).addChatsCommand,
    },
  ],
  [
    "usage",
    {
      group: kept,
      usage: "[options]",
      summary: "the tokens and the money that turns have used",
      load: async () => (await import("./sessions/usage.ts")).addUsageCommand,
    },
  ],
  [
    "login",
    {
      group: setUp,
      usage: "[options]",
      summary: "log in to Cursor by a link, for the api lane",
      load: async () => (await import("./accounts/login.ts")).addLoginCommand,
    },
  ],
  [
    "logout",
    {
      group: setUp,
      usage: "[options]",
      summary: "forget the login of `caret login`, and revoke its API key",
      load: async () => (await import("./accounts/logout.ts")).addLogoutCommand,
    },
  ],
  [
    "auth",
    {
      group: setUp,
      usage: "[options]",
      summary: "every credential on this machine, and which lanes it lets turns take",
      load: async () => (await import("./accounts/auth.ts")).addAuthCommand,
    },
  ],
  [
    "service",
    {
      group: setUp,
      usage: "[command]",
      summary: "keep a gateway running, as a user service of systemd",
      load: async () => (await import("./gateway/service.ts")).addServiceCommand,
    },
  ],
  [
    "workspaces",
    {
      group: setUp,
      usage: "[command]",
      summary: "the directories that turns may work in",
      load: async () => (await import("./machine/workspaces.ts")).addWorkspacesCommand,
    },
  ],
  [
    "models",
    {
      group: setUp,
      usage: "[options]",
      summary: "the models that can be asked for",
      load: async () => (await import("./models/models.ts")).addModelsCommand,
    },
  ],
  [
    "sync-models",
    {
      group: setUp,
      usage: "[options]",
      summary: "write Cursor's models into the settings of clients that list models",
      load: async () => (await import("./models/sync-models.ts")).addSyncModelsCommand,
    },
  ],
  [
    "token",
    {
      group: setUp,
      usage: "[command]",
      summary: "the tokens that let clients in at the gateway",
      load: async () => (await import("./gateway/token.ts")).addTokenCommand,
    },
  ],
  [
    "store",
    {
      group: setUp,
      usage: "[command]",
      summary: "where sessions are kept: a data directory, or PostgreSQL",
      load: async () => (await import("./machine/store.ts")).addStoreCommand,
    },
  ],
  [
    "fleet",
    {
      group: setUp,
      usage: "[options]",
      summary: "the machines of the fleet, what they do, and what waits for them",
      load: async () => (await import("./gateway/fleet.ts")).addFleetCommand,
    },
  ],
  [
    "config",
    {
      group: setUp,
      usage: "[command]",
      summary: "the settings, and where they come from",
      load: async () => (await import("./machine/config.ts")).addConfigCommand,
    },
  ],
  [
    "completion",
    {
      group: setUp,
      usage: "<shell>",
      summary: "a script that lets your shell complete caret's commands and options",
      load: async () => {
        const { addCompletionCommand } = await import("./machine/completion.ts");
        return (program, host, done) => addCompletionCommand(program, host, done, commands);
      },
    },
  ],
  [
    "decode",
    {
      group: recordings,
      usage: "[options] [file]",
      summary: "decode a recording of an agent's output, from a file or standard input",
      load: async () => (await import("./machine/decode.ts")).addDecodeCommand,
    },
  ],
]);
