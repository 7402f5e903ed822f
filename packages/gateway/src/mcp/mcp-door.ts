import { randomUUID } from "node:crypto";
import { lastingCaller } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { errorHandler } from "../http/error-handler.ts";
import { requestContextOf } from "../http/request-context.ts";
import { toNativeReply } from "../native/errors.ts";
import { createBegunTurns } from "./begun-turns.ts";
import { type OwnPorts, ownClient } from "./dispatch-client.ts";
import { DEFAULT_CEILING, DEFAULT_WAIT_MS, type DispatchOptions } from "./dispatch-options.ts";
import type { HostConnections } from "./host-connections.ts";
import { sendResponse, toWebRequest } from "./web-exchange.ts";

export interface McpDoorOptions extends OwnPorts {
  readonly version: string;
  /** After this much silence a stream sends a keep-alive. */
  readonly keepAliveMs: number;
}

const docs = {
  POST: { summary: "MCP over streamable HTTP: a message of a host", streams: true },
  GET: { summary: "MCP over streamable HTTP: what the gateway says unasked", streams: true },
  DELETE: { summary: "MCP over streamable HTTP: the host leaves" },
} as const;

/** `/mcp`: here MCP hosts such as Claude Code and Codex hand work to agents. */
export function mcpDoor({ version, keepAliveMs, ...ports }: McpDoorOptions): FastifyPluginAsync {
  return async (app) => {
    let connections: Promise<HostConnections> | undefined;
    const closing = new AbortController();
    const begun = createBegunTurns();
    app.setErrorHandler(errorHandler(toNativeReply));
    app.addHook("preClose", async () => {
      closing.abort();
      await (await connections)?.close();
    });

    const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const caller = lastingCaller(requestContextOf(request).caller);
      const { workspace } = caller;
      const options: DispatchOptions = {
        client: ownClient(ports, caller),
        begun,
        version,
        command: app.command,
        workspace,
        permission: DEFAULT_CEILING,
        waitMs: DEFAULT_WAIT_MS,
        onError: (error) => app.log.error({ err: error }, "A tool of the MCP door failed unexpectedly"),
      };
      connections ??= openConnections();
      const owner = JSON.stringify(caller);
      const { body } = request;
      const response = await (await connections).answer(toWebRequest(request, reply), { body, options, owner });
      await sendResponse(response, request, reply, { closing: closing.signal, keepAliveMs });
    };

    for (const method of ["POST", "GET", "DELETE"] as const)
      app.route({ method, url: "/mcp", config: { access: "sessions", doc: docs[method] }, handler: serve });
  };
}

/** Loaded on demand: the protocol's own code is large, and most gateways have no MCP host. */
async function openConnections(): Promise<HostConnections> {
  const { createHostConnections } = await import("./host-connections.ts");
  return createHostConnections({ newId: randomUUID, now: Date.now });
}
