import { CaretError } from "@caret/protocol";
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { DispatchOptions } from "./dispatch-options.ts";
import { createDispatchServer } from "./dispatch-server.ts";

/** More than any person's programs open; each costs some kilobytes. */
const MAX_CONNECTIONS = 256;
/** A host idle for this long has to begin again: it gets a 404, as the protocol demands. */
const IDLE_MS = 24 * 3_600_000;

export interface HostRequest {
  /** The parsed body. */
  readonly body: unknown;
  readonly options: DispatchOptions;
  /** Sender of the request. A connection serves only the owner that opened it. */
  readonly owner: string;
}

/**
 * The hosts connected over HTTP. Up to the protocol of 2025 a host opens a connection with an id, since the server asks it for its roots
 * and it cancels calls by separate messages; later protocols need none.
 */
export interface HostConnections {
  answer(request: Request, asked: HostRequest): Promise<Response>;
  close(): Promise<void>;
}

interface Connection {
  readonly owner: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

export function createHostConnections({
  newId,
  now,
}: {
  readonly newId: () => string;
  readonly now: () => number;
}): HostConnections {
  const connections = new Map<string, Connection>();
  const optionsOf = new WeakMap<Request, DispatchOptions>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const options = requestInfo && optionsOf.get(requestInfo);
      if (options === undefined) throw new CaretError("internal", "A request of an MCP host has no options");
      return createDispatchServer(options);
    },
    { legacy: "reject" },
  );

  const open = async ({ options, owner }: HostRequest): Promise<Connection> => {
    for (const [id, { usedAt, transport }] of connections) {
      if (now() - usedAt < IDLE_MS) continue;
      connections.delete(id);
      await transport.close();
    }
    if (connections.size >= MAX_CONNECTIONS)
      throw new CaretError("overloaded", `${MAX_CONNECTIONS} MCP hosts are connected: that is the limit`);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      onsessioninitialized: (id) => void connections.set(id, connection),
      onsessionclosed: (id) => void connections.delete(id),
    });
    const connection: Connection = { owner, transport, usedAt: now() };
    await createDispatchServer(options).connect(transport);
    return connection;
  };

  const find = (request: Request, { owner }: HostRequest): Connection | undefined => {
    const found = connections.get(request.headers.get("mcp-session-id") ?? "");
    return found?.owner === owner ? found : undefined;
  };

  return {
    async answer(request, asked) {
      if (!(await isLegacyRequest(request, asked.body))) {
        optionsOf.set(request, asked.options);
        return await modern.fetch(request, { parsedBody: asked.body });
      }
      const connection = isInitializeRequest(asked.body) ? await open(asked) : find(request, asked);
      if (connection === undefined) return unknownConnection();
      connection.usedAt = now();
      return await connection.transport.handleRequest(request, { parsedBody: asked.body });
    },
    async close() {
      await modern.close();
      for (const { transport } of connections.values()) await transport.close();
      connections.clear();
    },
  };
}

/** Answer to a host without a connection, or whose connection is gone: it opens a new one. */
function unknownConnection(): Response {
  const error = { code: -32001, message: "There is no such connection: send an `initialize` request first." };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}
