import type { LaneRequest } from "../lane.ts";
import type { Registration } from "../registration.ts";
import { type AgentFiles, freeName } from "./bridged-workspace.ts";
import { findForeignServers } from "./foreign-servers.ts";

/** The MCP servers that Caret registers with an agent that runs its own tools. */
export interface RegisteredServers {
  /** Name of Caret's own server. */
  readonly own: string;
  /** The user's servers, if wanted. */
  readonly users: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** All of them, in the form of an `mcp.json`. */
  readonly all: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** In a `strict` sandbox the user's servers are excluded, as are the gateway's. */
export function registeredServers(
  registration: Registration,
  sandbox: LaneRequest["sandbox"],
  { mcpFiles }: Pick<AgentFiles, "mcpFiles">,
): RegisteredServers {
  const isWanted = registration.withUserServers && sandbox?.word !== "strict";
  const users = isWanted ? findForeignServers(mcpFiles).servers : {};
  const own = freeName(Object.keys(users));
  return { own, users, all: { ...users, [own]: { ...registration.server } } };
}

/** Adds to the request what its sandbox must hold for the servers: the file that names them, and access to Caret's own. */
export function withServersInside(request: LaneRequest, servers: RegisteredServers): LaneRequest {
  const { sandbox, registration } = request;
  if (sandbox === undefined || registration === undefined) return request;
  const { cursorFiles, sockets = [], readable = [] } = sandbox.additions;
  const additions = {
    cursorFiles: { ...cursorFiles, "mcp.json": mcpJson(servers) },
    sockets: [...sockets, registration.socket],
    readable: [...readable, ...registration.program],
  };
  return { ...request, sandbox: { ...sandbox, additions } };
}

export function mcpJson({ all }: Pick<RegisteredServers, "all">): string {
  return `${JSON.stringify({ mcpServers: all }, null, 2)}\n`;
}
