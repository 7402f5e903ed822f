import type { Spawner } from "../../process/child-handle.ts";
import type { McpServerConfig } from "../../tools/mcp/mcp-server-config.ts";

export interface ToolCountOptions {
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Aborted when the count is no longer wanted: ends what was started for it. */
  readonly signal: AbortSignal;
}

export interface ToolCount {
  readonly count: number;
  /** Every server has answered. One that has not counts as having no tools. */
  readonly isWhole: boolean;
}

/** Counts the tools of MCP servers: starts them, asks once and ends them. */
export async function countTools({ servers, spawner, env, cwd, signal }: ToolCountOptions): Promise<ToolCount> {
  // Loaded on demand: only agents with the user's servers need it, and the protocol client is most of what loads here.
  const { createMcpTools } = await import("../../tools/mcp/mcp-tools.ts");
  const configs = Object.entries(servers).flatMap(([name, server]) => toConfig(name, server, cwd));
  const opened = createMcpTools({ servers: configs, spawner, env });
  const close = (): void => void opened.close();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    const asked = await opened.ready();
    return { count: opened.tools().length, isWhole: asked.every(({ problem }) => problem === undefined) };
  } finally {
    signal.removeEventListener("abort", close);
    await opened.close();
  }
}

function toConfig(name: string, server: Readonly<Record<string, unknown>>, cwd: string): readonly McpServerConfig[] {
  const { command, args, env, url, headers } = server;
  if (typeof url === "string" && URL.canParse(url))
    return [{ name, transport: "http", url, headers: wordsIn(headers) }];
  if (typeof command !== "string") return [];
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  return [{ name, transport: "stdio", command, args: words, env: wordsIn(env), cwd }];
}

function wordsIn(value: unknown): Record<string, string> {
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
