import type { OfferedTool } from "../model/model.ts";
import { type ConfiguredServer, listMcpServers, type McpServer } from "./mcp-servers.ts";
import type { ServerConnection } from "./server-connection.ts";

/** What an MCP tool answered, in the shapes of the agent's wire. */
export interface McpAnswer {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly isError: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What became of one configured server. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: "ready" | "needs-approval" | "disabled" | "failed";
  readonly error?: string;
}

/** The connected MCP servers of a turn. */
export interface McpHub {
  /** Those of all servers, as they are now. */
  readonly tools: readonly OfferedTool[];
  readonly servers: readonly McpServerStatus[];
  /** Rejects when the server is gone, the tool unknown or the call aborted; a tool's own failure is an answer. */
  readonly call: (call: McpCall, signal: AbortSignal) => Promise<McpAnswer>;
  /** Ends every server process and connection. */
  readonly close: () => Promise<void>;
}

export interface McpOptions {
  readonly workspace: string;
  readonly configDir: string;
  readonly approveMcps: boolean;
  readonly given?: readonly ConfiguredServer[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a call may stay silent; every progress notification restarts the clock. */
  readonly callTimeoutMs?: number;
}

const DEFAULT_CALL_TIMEOUT_MS = 60_000;

/** Connects to every approved server at once; a server that cannot be reached is left out, never fatal. */
export async function connectMcp(options: McpOptions): Promise<McpHub> {
  const servers = listMcpServers(options);
  const attempts = await Promise.all(servers.map((server) => attempt(server, options)));
  const connections = attempts.flatMap(({ connection }) => (connection === undefined ? [] : [connection]));
  return {
    get tools() {
      return connections.flatMap(({ tools }) => tools());
    },
    servers: attempts.map(({ status }) => status),
    call: async ({ server, tool, args }, signal) => {
      const connection = connections.find(({ name }) => name === server);
      if (connection === undefined) throw new Error(`MCP server ${server} is not connected`);
      await connection.listed();
      if (!connection.tools().some(({ name }) => name === tool)) throw new Error(`Tool ${tool} not found on ${server}`);
      const answer = await connection.call(tool, args, signal);
      // What a call has changed about the tools is known when its answer is.
      await connection.listed();
      return answer;
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

interface Attempt {
  readonly status: McpServerStatus;
  readonly connection?: ServerConnection;
}

async function attempt(server: McpServer, options: McpOptions): Promise<Attempt> {
  const { name, state } = server;
  if (state !== "approved") return { status: { name, status: state } };
  try {
    // Loading the MCP client takes longer than everything else at start, so only those who have servers pay for it.
    const { connectServer } = await import("./server-connection.ts");
    const callTimeoutMs = options.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    const connection = await connectServer(server, { ...options, callTimeoutMs });
    return { status: { name, status: "ready" }, connection };
  } catch (reason) {
    return { status: { name, status: "failed", error: reason instanceof Error ? reason.message : String(reason) } };
  }
}
