import type { Spawner } from "../process/child-handle.ts";
import { createGatewayTools } from "./gateway-tools.ts";
import type { McpServerConfig } from "./mcp/mcp-server-config.ts";
import { createMcpTools, type McpTools } from "./mcp/mcp-tools.ts";
import type { OutputStore } from "./outputs/output-store.ts";
import { createToolRegistry, type ToolRegistry, type ToolSource } from "./tool-registry.ts";
import { createOutboundFetch } from "./web/outbound-fetch.ts";
import { createSearchEngine, type SearchEngineConfig } from "./web/search-engine.ts";

export interface StartToolsOptions {
  readonly servers: readonly McpServerConfig[];
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly outputs: OutputStore;
  /** The engine behind `web_search`. If absent, the tool says what to configure. */
  readonly search: SearchEngineConfig | undefined;
}

export interface StartedTools {
  readonly mcp: McpTools;
  readonly registry: ToolRegistry;
  /** The same tools plus those of a dynamic source. */
  registryWith(source: ToolSource): ToolRegistry;
}

/** Starts the configured MCP servers and combines their tools with the gateway's own. */
export function startTools({ servers, spawner, env, outputs, search }: StartToolsOptions): StartedTools {
  const mcp = createMcpTools({ servers, spawner, env });
  const engine = search && createSearchEngine(search);
  const tools = createGatewayTools({ outputs, fetch: createOutboundFetch(), ...(engine && { engine }) });
  const registryWith = (...sources: readonly ToolSource[]) =>
    createToolRegistry(tools, { outputs, sources: [mcp, ...sources] });
  return { mcp, registry: registryWith(), registryWith };
}
