import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceSlug } from "../../chats/chat-exists.ts";
import type { CoveredFile } from "../../process/child-handle.ts";
import { denyHookScript } from "./deny-hook.ts";
import { findForeignServers } from "./foreign-servers.ts";
import { mcpApprovalId, projectRootOf } from "./mcp-approval.ts";

/** The agent's name for Caret's server, unless a server of the user's has it. */
const OWN_SERVER = "caret";

interface BridgedWorkspaceOptions {
  /** A directory of ours; the agent works in it and finds only what is written here. */
  readonly directory: string;
  readonly agentFiles: AgentFiles;
  /** How to start the bridge. */
  readonly bridge: {
    readonly file: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  readonly toolNames: readonly string[];
  readonly system: string;
  /** Where the tools work; the agent is told of it but cannot reach it. */
  readonly realWorkspace: string | undefined;
}

/** Where an agent keeps its files outside the workspace. */
export interface AgentFiles {
  /** Its configuration directory. */
  readonly configDir: string;
  /** Directories in which it keeps approvals and switches, by project. */
  readonly projectRoots: readonly string[];
  /** Files that name MCP servers for it in any workspace. */
  readonly mcpFiles: readonly string[];
}

export interface BridgedWorkspace {
  /** Name of our server. */
  readonly server: string;
  /** Files to hide from the agent, where possible. */
  readonly covered: readonly CoveredFile[];
  /** Lets the agent use exactly these tools of the bridge; it may already be running. */
  allowTools(toolNames: readonly string[]): void;
}

/** Cursor scopes a relative glob to the workspace: a rule for everywhere needs an absolute one. */
const EVERYWHERE = ["*", "**", "/**", "~/**"];
const DENIED = [
  "Shell(*)",
  "Shell(**)",
  ...EVERYWHERE.map((glob) => `Read(${glob})`),
  ...EVERYWHERE.map((glob) => `Write(${glob})`),
  "WebFetch(*)",
  "WebFetch(**)",
];
const HOOK_SCRIPT = "deny-native.sh";
const HOOK_STEPS = ["preToolUse", "beforeShellExecution", "beforeReadFile"];

/**
 * Creates the workspace of an agent whose tools the client or the gateway runs: these are offered as one MCP server, and the agent's own
 * are denied twice over, by permission and by a hook, with a sentence that says what to use instead.
 *
 * The hook is the only complete gate: no rule covers the agent's own search, and a rule against every MCP server would deny ours. So it
 * has no matcher to exempt calls of our server: tools of the user's own servers, which load without approval, would pass with them.
 *
 * The user's own MCP servers would be started as well and could be called without asking anyone. They are switched off in this workspace,
 * denied by name, refused by the hook unless a tool has the name of one of ours, and their files are covered where the agent is contained.
 */
export function prepareBridgedWorkspace(options: BridgedWorkspaceOptions): BridgedWorkspace {
  const { directory, bridge, agentFiles } = options;
  const own = join(directory, ".cursor");
  // Existing files were written by an earlier turn, or by an agent that found a way: never reuse them.
  rmSync(own, { recursive: true, force: true });
  mkdirSync(join(own, "rules"), { recursive: true, mode: 0o700 });
  const foreign = findForeignServers(agentFiles.mcpFiles);
  const name = freeName(foreign.names);
  const server = { command: bridge.file, args: bridge.args, env: bridge.env };
  const deny = [...DENIED, ...foreign.names.flatMap((other) => [`Mcp(${other}:*)`, `Mcp(${other})`])];
  const empty = join(own, "no-servers.json");
  write(join(own, "mcp.json"), json({ mcpServers: { [name]: server } }));
  write(join(own, "cli.json"), json({ permissions: { allow: [`Mcp(${name}:*)`], deny } }));
  write(join(own, "hooks.json"), json({ version: 1, hooks: hooksRunning(join(own, HOOK_SCRIPT)) }));
  const allowTools = (names: readonly string[]): void => writeHook(own, denyHookScript(names, refusal(name)));
  allowTools(options.toolNames);
  write(empty, json({ mcpServers: {} }));
  write(join(own, "rules", "caret.mdc"), rule(options, name));
  const approved = mcpApprovalId(name, server, projectRootOf(directory));
  for (const root of agentFiles.projectRoots) {
    const project = join(root, "projects", workspaceSlug(directory));
    mkdirSync(project, { recursive: true, mode: 0o700 });
    write(join(project, "mcp-approvals.json"), json([approved]));
    write(join(project, "mcp-disabled.json"), json(foreign.names));
  }
  return { server: name, covered: foreign.files.map((path) => ({ path, by: empty })), allowTools };
}

function writeHook(own: string, text: string): void {
  const script = join(own, HOOK_SCRIPT);
  const next = `${script}.next`;
  write(next, text);
  chmodSync(next, 0o700);
  // Atomically: an agent running the hook at this instant reads either the old or the new one, complete.
  renameSync(next, script);
}

/** Which of two servers of one name an agent uses is not up to us, so ours gets a unique name. */
export function freeName(taken: readonly string[]): string {
  let name = OWN_SERVER;
  for (let count = 2; taken.includes(name); count += 1) name = `${OWN_SERVER}-${count}`;
  return name;
}

function hooksRunning(script: string): Record<string, readonly object[]> {
  return Object.fromEntries(HOOK_STEPS.map((step) => [step, [{ command: `/bin/sh '${script}'`, failClosed: true }]]));
}

function refusal(server: string): string {
  return `Your own tools are switched off: use the tools of the MCP server ${server} instead.`;
}

function rule({ system, realWorkspace }: BridgedWorkspaceOptions, server: string): string {
  const place =
    realWorkspace === undefined ? "" : ` The user's workspace is ${realWorkspace}; only those tools reach it.`;
  const tools = `Use only the tools of the MCP server \`${server}\`: they are run for you where the user works.${place} Your own shell, file and web tools are switched off.`;
  return `---\ndescription: How to work in this session\nalwaysApply: true\n---\n${tools}\n\n${system}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function write(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
