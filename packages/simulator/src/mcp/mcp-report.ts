import type { OfferedTool } from "../model/model.ts";
import type { McpHub, McpServerStatus } from "./mcp-hub.ts";

/** What `mcp list` prints: one line per configured server. */
export function describeServers({ servers }: McpHub): string {
  if (servers.length === 0) return "No MCP servers configured (expected in .cursor/mcp.json or ~/.cursor/mcp.json)";
  return servers.map((server) => `${server.name}: ${describeStatus(server)}`).join("\n");
}

/** What `mcp list-tools <server>` prints, or nothing when that server is not connected. */
export function describeTools({ servers, tools }: McpHub, server: string): string | undefined {
  if (!servers.some(({ name, status }) => name === server && status === "ready")) return undefined;
  const offered = tools.filter((tool) => tool.server === server);
  return [`Tools for ${server} (${offered.length}):`, ...offered.map(describeTool)].join("\n");
}

function describeStatus({ status, error }: McpServerStatus): string {
  switch (status) {
    case "ready":
      return "ready";
    case "needs-approval":
      return "not loaded (needs approval)";
    case "disabled":
      return "disabled";
    case "failed":
      return `Error: ${error ?? "Connection failed"}`;
  }
}

function describeTool({ name, inputSchema }: OfferedTool): string {
  const properties = inputSchema["properties"];
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return `- ${name} (${names.join(", ")})`;
}
