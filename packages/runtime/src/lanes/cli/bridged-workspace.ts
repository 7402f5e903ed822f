import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceSlug } from "../../chats/workspace-slug.ts";
import { mcpApprovalId, projectRootOf } from "./mcp-approval.ts";

/** The name under which the agent knows the tools that it is offered. */
export const BRIDGE_SERVER = "caret";

export interface BridgedWorkspaceOptions {
  /** A directory of ours; the agent works in it and finds nothing but what is written here. */
  readonly directory: string;
  /** Where the agent keeps its approvals. */
  readonly configDir: string;
  /** How to start the bridge. */
  readonly bridge: {
    readonly file: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  readonly toolNames: readonly string[];
  readonly system: string;
  /** Where the tools work, for the agent to know of, not to reach. */
  readonly realWorkspace: string | undefined;
}

/** Cursor scopes a relative glob to the workspace: what is to hold everywhere needs an absolute one. */
const EVERYWHERE = ["*", "**", "/**", "~/**"];
const DENIED = [
  "Shell(*)",
  "Shell(**)",
  ...EVERYWHERE.map((glob) => `Read(${glob})`),
  ...EVERYWHERE.map((glob) => `Write(${glob})`),
  "WebFetch(*)",
];
const HOOK_SCRIPT = "deny-native.sh";
const HOOK_STEPS = ["preToolUse", "beforeShellExecution", "beforeReadFile"];

/**
 * Make the workspace of an agent whose tools somebody else runs: they are there as one MCP server, and the agent's own are
 * denied twice over, by permission and by a hook, with a sentence that says what to use instead.
 *
 * The hook is the only full gate: no rule covers the agent's own search, and a rule against every MCP server would deny
 * ours. So it has no matcher that would spare the calls of our server: tools of the user's own servers, which load without
 * approval, would pass with them.
 */
export function prepareBridgedWorkspace(options: BridgedWorkspaceOptions): void {
  const { directory, bridge } = options;
  const own = join(directory, ".cursor");
  // Whatever stands there was written by an earlier turn, or by an agent that found a way: it is never reused.
  rmSync(own, { recursive: true, force: true });
  mkdirSync(join(own, "rules"), { recursive: true, mode: 0o700 });
  const server = { command: bridge.file, args: bridge.args, env: bridge.env };
  write(join(own, "mcp.json"), json({ mcpServers: { [BRIDGE_SERVER]: server } }));
  write(join(own, "cli.json"), json({ permissions: { allow: [`Mcp(${BRIDGE_SERVER}:*)`], deny: DENIED } }));
  write(join(own, "hooks.json"), json({ version: 1, hooks: hooksRunning(join(own, HOOK_SCRIPT)) }));
  allowTools(directory, options.toolNames);
  write(join(own, "rules", "caret.mdc"), rule(options));
  approve(options, server);
}

/** Let the agent use these tools of the bridge, and no others; it may be running. */
export function allowTools(directory: string, toolNames: readonly string[]): void {
  const script = join(directory, ".cursor", HOOK_SCRIPT);
  const next = `${script}.next`;
  write(next, denyScript(toolNames));
  chmodSync(next, 0o700);
  // At once: an agent that runs the hook in this instant reads the old one or the new one, whole.
  renameSync(next, script);
}

function approve({ directory, configDir }: BridgedWorkspaceOptions, server: Readonly<Record<string, unknown>>): void {
  const project = join(configDir, "projects", workspaceSlug(directory));
  mkdirSync(project, { recursive: true, mode: 0o700 });
  write(join(project, "mcp-approvals.json"), json([mcpApprovalId(BRIDGE_SERVER, server, projectRootOf(directory))]));
}

function hooksRunning(script: string): Record<string, readonly object[]> {
  return Object.fromEntries(HOOK_STEPS.map((step) => [step, [{ command: `/bin/sh '${script}'`, failClosed: true }]]));
}

/** The offered tools pass by name; everything else is refused in words the model can act on. A shell is quick to start. */
function denyScript(toolNames: readonly string[]): string {
  const allowed = toolNames.filter((name) => /^[\w.-]+$/.test(name)).map((name) => `*'"tool_name":"MCP:${name}"'*`);
  const message = `Your own tools are switched off: use the tools of the MCP server ${BRIDGE_SERVER} instead.`;
  const denial = JSON.stringify({
    permission: "deny",
    user_message: message,
    agent_message: message,
    agentMessage: message,
  });
  const pass = allowed.length === 0 ? "" : `  ${allowed.join("|")}) echo '{"permission":"allow"}'; exit 0 ;;\n`;
  return `#!/bin/sh\nevent=$(cat)\ncase "$event" in\n${pass}esac\necho '${denial.replaceAll("'", "'\\''")}'\necho '${message.replaceAll("'", "'\\''")}' >&2\nexit 2\n`;
}

function rule({ system, realWorkspace }: BridgedWorkspaceOptions): string {
  const place =
    realWorkspace === undefined ? "" : ` The user's workspace is ${realWorkspace}; only those tools reach it.`;
  const tools = `Use only the tools of the MCP server \`${BRIDGE_SERVER}\`: they are run for you where the user works.${place} Your own shell, file and web tools are switched off.`;
  return `---\ndescription: How to work in this session\nalwaysApply: true\n---\n${tools}\n\n${system}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function write(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
}
