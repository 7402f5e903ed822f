/** What a turn's sandbox holds besides what every sandbox does: how a named agent is given its own MCP server, say. */
export interface SandboxAdditions {
  /** Files of the `.cursor` directory that the agent finds in its workspace, by their path in it: `mcp.json`, `rules/x.mdc`. */
  readonly cursorFiles?: Readonly<Record<string, string>>;
  /** Unix sockets that may be connected to, under the same path inside. */
  readonly sockets?: readonly string[];
  /** Files and directories that may be read, under the same path inside: the program of an MCP server, say. */
  readonly readable?: readonly string[];
}
