import type { Secret } from "@caret/protocol";

interface CommonConfig {
  /** Prefix of its tools' names. */
  readonly name: string;
  /** Time limit of one call. Default: a minute. */
  readonly callTimeoutMs?: number | undefined;
}

export interface StdioServerConfig extends CommonConfig {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to our usual variables. */
  readonly env?: Readonly<Record<string, string | Secret>>;
  readonly cwd: string;
}

export interface HttpServerConfig extends CommonConfig {
  readonly transport: "http";
  /** Chosen by the operator, so any address is allowed. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | Secret>>;
}

/** An MCP server whose tools the gateway offers as its own. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
