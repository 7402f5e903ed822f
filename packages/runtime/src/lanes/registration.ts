/** How an agent starts an MCP server over its standard streams. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Caret's MCP server, to be registered with an agent that runs its own tools. */
export interface Registration {
  readonly server: ServerCommand;
  /** The Unix socket that the server connects to. */
  readonly socket: string;
  /** Files and directories needed to start the server. */
  readonly program: readonly string[];
  /** A directory of ours for this agent alone: generated files go there, never into its workspace. */
  readonly directory: string;
  /** Whether the agent also has the user's own MCP servers. */
  readonly withUserServers: boolean;
}
