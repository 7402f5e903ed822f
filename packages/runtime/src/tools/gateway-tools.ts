import { createExecTool } from "./exec/exec-tool.ts";
import { createFileTools } from "./files/file-tools.ts";
import { createReadOutputTool, type OutputStore } from "./outputs/output-store.ts";
import type { Tool } from "./tool.ts";
import type { OutboundFetch } from "./web/outbound-fetch.ts";
import { createWebSearchTool, type SearchEngine } from "./web/search-engine.ts";
import { createWebFetchTool } from "./web/web-fetch-tool.ts";

export interface GatewayToolsOptions {
  readonly outputs: OutputStore;
  readonly fetch: OutboundFetch;
  readonly engine?: SearchEngine;
}

/** All of the gateway's own tools. */
export function createGatewayTools({ outputs, fetch, engine }: GatewayToolsOptions): readonly Tool[] {
  return [
    createExecTool({ outputs }),
    createReadOutputTool({ outputs }),
    ...createFileTools(),
    createWebFetchTool({ fetch }),
    createWebSearchTool(engine === undefined ? {} : { engine }),
  ];
}
