import type { Secret } from "@caret/protocol";

interface CommonConfig {
  /** Begins the names of its tools. */
  readonly name: string;
  /** How long one call may take; a minute by default. */
  readonly callTimeoutMs?: number | undefined;
}

export interface StdioServerConfig extends CommonConfig {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Besides the usual names of ours. */
  readonly env?: Readonly<Record<string, string | Secret>>;
  readonly cwd: string;
}

export interface HttpServerConfig extends CommonConfig {
  readonly transport: "http";
  /** The operator's choice, so any address will do. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | Secret>>;
}

/** An MCP server whose tools the gateway offers as its own. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
