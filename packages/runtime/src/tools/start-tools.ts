import type { Spawner } from "../process/child-handle.ts";
import { createGatewayTools } from "./gateway-tools.ts";
import type { McpServerConfig } from "./mcp/mcp-server-config.ts";
import { createMcpTools, type McpTools } from "./mcp/mcp-tools.ts";
import type { OutputStore } from "./outputs/output-store.ts";
import type { Tool } from "./tool.ts";
import { createToolRegistry, type ToolRegistry } from "./tool-registry.ts";
import { createOutboundFetch } from "./web/outbound-fetch.ts";

export interface StartToolsOptions {
  readonly servers: readonly McpServerConfig[];
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly outputs: OutputStore;
}

export interface StartedTools {
  readonly mcp: McpTools;
  readonly registry: ToolRegistry;
  /** The same with tools of a turn's own before them. */
  readonly registryWith: (tools: readonly Tool[]) => ToolRegistry;
}

/** The gateway's own tools together with those of its MCP servers, which are started here. */
export function startTools({ servers, spawner, env, outputs }: StartToolsOptions): StartedTools {
  const mcp = createMcpTools({ servers, spawner, env });
  const tools = createGatewayTools({ outputs, fetch: createOutboundFetch() });
  const registry = createToolRegistry(tools, { outputs, sources: [mcp] });
  const all = { tools: registry.list };
  return { mcp, registry, registryWith: (own) => createToolRegistry(own, { outputs, sources: [all] }) };
}
