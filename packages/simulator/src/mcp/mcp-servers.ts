import { approvalId, projectRootOf, readApprovals, readDisabled, writeApprovals, writeDisabled } from "./approvals.ts";
import { type ConfiguredServer, readMcpServers } from "./mcp-server-config.ts";

export interface McpServersOptions {
  readonly workspace: string;
  readonly configDir: string;
  /** `--approve-mcps`: take every configured server as approved, without remembering it. */
  readonly approveMcps: boolean;
}

export interface McpServer extends ConfiguredServer {
  readonly approvalId: string;
  readonly state: "approved" | "needs-approval" | "disabled";
}

/** Every configured server and whether it may be started. */
export function listMcpServers({ workspace, configDir, approveMcps }: McpServersOptions): readonly McpServer[] {
  const servers = readMcpServers({ workspace, configDir });
  if (servers.length === 0) return [];
  const projectRoot = projectRootOf(workspace);
  const approvals = readApprovals({ workspace, configDir });
  const disabled = readDisabled({ workspace, configDir });
  return servers.map((server) => {
    const id = approvalId(server.name, server.config, projectRoot);
    const isApproved = approveMcps || server.source === "user" || approvals.includes(id);
    const isDisabled = disabled.includes(server.name) || disabled.includes(id);
    const state = isDisabled ? "disabled" : isApproved ? "approved" : "needs-approval";
    return { ...server, approvalId: id, state };
  });
}

/** Approves a server and switches it on again. False when no server has that name. */
export function enableMcpServer(name: string, place: Omit<McpServersOptions, "approveMcps">): boolean {
  const server = listMcpServers({ ...place, approveMcps: false }).find((entry) => entry.name === name);
  if (server === undefined) return false;
  writeApprovals(place, [...new Set([...readApprovals(place), server.approvalId])]);
  writeDisabled(place, without(readDisabled(place), server));
  return true;
}

/** Switches a server off for this workspace. False when no server has that name. */
export function disableMcpServer(name: string, place: Omit<McpServersOptions, "approveMcps">): boolean {
  const server = listMcpServers({ ...place, approveMcps: false }).find((entry) => entry.name === name);
  if (server === undefined) return false;
  writeDisabled(place, [...without(readDisabled(place), server), server.name]);
  return true;
}

function without(names: readonly string[], server: McpServer): string[] {
  return names.filter((name) => name !== server.name && name !== server.approvalId);
}
