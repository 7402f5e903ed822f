import type { ChildHandle } from "../../process/child-handle.ts";
import type { AgentHost } from "./agent-host.ts";
import { childCommandOf } from "./child-command-of.ts";

export interface McpCommand {
  /** After `mcp`: `list`, or `enable` and the name of a server. */
  readonly args: readonly string[];
  readonly workspace: string;
  /** The configuration directory for the agent; undefined: the user's. */
  readonly configDir: string | undefined;
}

export interface McpCommandEnd {
  readonly code: number;
  /** The end of the agent's standard error. */
  readonly stderr: string;
}

/** Lets the CLI list or change its MCP servers in a workspace. `onOutput` gets its output as it comes. */
export async function runMcpCommand(
  host: AgentHost,
  { args, workspace, configDir }: McpCommand,
  onOutput: (text: string) => void,
): Promise<McpCommandEnd> {
  const profile = await host.resolveProfile("default");
  const launch = await host.resolveLaunch(host.programs.command);
  const set = configDir === undefined ? {} : { CURSOR_CONFIG_DIR: configDir };
  const words = ["mcp", ...args];
  const child = host.spawn(childCommandOf({ host, launch, args: words, workspace, profile, stdin: "closed", set }));
  await passOutput(child, onOutput);
  const exit = await child.exit;
  if (exit.kind !== "exited") throw exit.error;
  return { code: exit.code ?? 1, stderr: child.stderrTail() };
}

async function passOutput({ stdout }: ChildHandle, onOutput: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stdout) onOutput(decoder.decode(chunk, { stream: true }));
}
