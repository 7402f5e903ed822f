import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { isRecord } from "../json/json.ts";
import type { OfferedTool } from "../model/model.ts";
import type { McpAnswer } from "./mcp-hub.ts";
import { type ConfiguredServer, interpolate, type McpServerConfig } from "./mcp-servers.ts";

export interface ServerConnection {
  readonly name: string;
  /** As the server listed them last: it may notify of changes. */
  readonly tools: () => readonly OfferedTool[];
  /** Resolves when no list is on its way. */
  readonly listed: () => Promise<void>;
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<McpAnswer>;
  readonly close: () => Promise<void>;
}

export interface ConnectServerOptions {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly callTimeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Starts or reaches one server and asks for its tools. Rejects, with nothing left running, when that fails. */
export async function connectServer(
  server: ConfiguredServer,
  options: ConnectServerOptions,
): Promise<ServerConnection> {
  const client = new Client({ name: "cursor-vscode", version: "1.0.0" });
  try {
    const config = interpolate(server.config, options);
    await client.connect(toTransport(config, options), { timeout: CONNECT_TIMEOUT_MS });
    let tools = await listTools(client, server.name);
    let listing = Promise.resolve();
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      listing = listing.then(async () => {
        // A server that cannot list its tools any more still has those that it listed before.
        tools = await listTools(client, server.name).catch(() => tools);
      });
    });
    return {
      name: server.name,
      tools: () => tools,
      listed: () => listing,
      call: async (name, args, signal) => {
        const result = await client.callTool(
          { name, arguments: { ...args } },
          // Asking for progress is what makes a server send it; the notification itself is ignored.
          { signal, timeout: options.callTimeoutMs, resetTimeoutOnProgress: true, onprogress: () => undefined },
        );
        const structure = isRecord(result.structuredContent) ? { structuredContent: result.structuredContent } : {};
        return { content: result.content.map(toWireContent), isError: result.isError === true, ...structure };
      },
      close: () => client.close(),
    };
  } catch (reason) {
    await client.close();
    throw reason;
  }
}

async function listTools(client: Client, server: string): Promise<readonly OfferedTool[]> {
  const { tools } = await client.listTools(undefined, { timeout: CONNECT_TIMEOUT_MS });
  return tools.map(({ name, description, inputSchema }) => ({
    server,
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
  }));
}

function toTransport(config: McpServerConfig, { workspace, env }: ConnectServerOptions): Transport {
  if (typeof config["url"] === "string")
    return new StreamableHTTPClientTransport(new URL(config["url"]), {
      requestInit: { headers: texts(config["headers"]) },
    });
  if (typeof config["command"] !== "string") throw new Error("An MCP server needs a command or a url");
  return new StdioClientTransport({
    command: config["command"],
    args: Array.isArray(config["args"]) ? config["args"].map(String) : [],
    env: { ...texts(env), ...texts(config["env"]) },
    cwd: typeof config["cwd"] === "string" ? config["cwd"] : workspace,
    stderr: "ignore",
  });
}

function texts(values: unknown): Record<string, string> {
  if (!isRecord(values)) return {};
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}

/** The wire nests text one level deeper than MCP does. */
function toWireContent(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (item["type"] === "text") return { text: { text: item["text"] } };
  if (item["type"] === "image") return { image: { data: item["data"], mimeType: item["mimeType"] } };
  const resource = item["resource"];
  if (isRecord(resource) && typeof resource["text"] === "string") return { text: { text: resource["text"] } };
  return { text: { text: JSON.stringify(item) } };
}
