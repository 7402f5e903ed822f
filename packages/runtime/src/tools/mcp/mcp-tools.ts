import { hash } from "node:crypto";
import { Secret } from "@caret/protocol";
import { type CallToolResult, type ContentBlock, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Spawner } from "../../process/child-handle.ts";
import { toolEnvironment } from "../../process/tool-environment.ts";
import { defineTool, type Tool, type ToolOutput } from "../tool.ts";
import type { ToolSource } from "../tool-registry.ts";
import { ChildTransport } from "./child-transport.ts";
import type { ListedTool } from "./list-mcp-tools.ts";
import { McpConnection, type McpTransport } from "./mcp-connection.ts";
import type { McpServerConfig } from "./mcp-server-config.ts";

/** Limit of the strictest client API. */
const MAX_NAME_LENGTH = 64;
const DIGEST_LENGTH = 8;
const MAX_DESCRIPTION_LENGTH = 4_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** The registry's limit comes after the connection's own, which can cancel the call at the server. */
const SLACK_MS = 10_000;

interface McpToolsOptions {
  readonly servers: readonly McpServerConfig[];
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly backoffMs?: (attempt: number) => number;
}

/** The tools of the configured MCP servers, named `server__tool`. */
export interface McpTools extends ToolSource {
  /** Resolves once every server has been tried once, with the failures. */
  ready(): Promise<readonly { readonly server: string; readonly problem?: unknown }[]>;
  /** Tools that cannot be offered as currently listed by their servers, a sentence each. */
  leftOut(): readonly string[];
  close(): Promise<void>;
}

export function createMcpTools({ servers, spawner, env, backoffMs = growing }: McpToolsOptions): McpTools {
  const connections = servers.map((config) => {
    const { name, callTimeoutMs } = config;
    const connection = new McpConnection({ name, callTimeoutMs, backoffMs, open: () => open(config, spawner, env) });
    return { config, connection };
  });
  const first = connections.map(async ({ connection }) => {
    try {
      await connection.connect();
      return { server: connection.name };
    } catch (problem) {
      return { server: connection.name, problem };
    }
  });
  return {
    tools() {
      const taken = new Set<string>();
      return connections.flatMap(({ config, connection }) =>
        connection.listed.tools.map((tool) => {
          const name = offeredName(config.name, tool.name, taken);
          taken.add(name);
          return toTool(tool, name, config, connection);
        }),
      );
    },
    ready: () => Promise.all(first),
    leftOut: () => connections.flatMap(({ connection }) => connection.listed.leftOut),
    async close() {
      await Promise.all(connections.map(({ connection }) => connection.close()));
    },
  };
}

/** Two tools whose names become the same get a digest of the original; otherwise one would receive the other's calls. */
function offeredName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}__${tool}`.replaceAll(/[^\w-]/g, "_").slice(0, MAX_NAME_LENGTH);
  if (!taken.has(plain)) return plain;
  const digest = hash("sha256", JSON.stringify([server, tool]), "hex").slice(0, DIGEST_LENGTH);
  return `${plain.slice(0, MAX_NAME_LENGTH - DIGEST_LENGTH - 1)}_${digest}`;
}

function toTool(
  tool: ListedTool,
  name: string,
  { callTimeoutMs = 60_000 }: McpServerConfig,
  connection: McpConnection,
): Tool {
  return defineTool<Record<string, unknown>>({
    name,
    description: (tool.description ?? tool.title ?? tool.name).slice(0, MAX_DESCRIPTION_LENGTH),
    kind: "mcp",
    inputSchema: tool.inputSchema,
    timeLimitMs: callTimeoutMs + SLACK_MS,
    run: async (input, { signal }) => toMcpOutput(await connection.call(tool.name, input, signal)),
  });
}

function open(config: McpServerConfig, spawner: Spawner, env: McpToolsOptions["env"]): McpTransport {
  if (config.transport === "http")
    return new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit: { headers: reveal(config.headers ?? {}) },
    });
  const { command, args, cwd } = config;
  const child = { file: command, args, cwd, env: toolEnvironment({ parent: env, set: reveal(config.env ?? {}) }) };
  return new ChildTransport(() => spawner.spawn({ ...child, stdin: "held" }));
}

function reveal(values: Readonly<Record<string, string | Secret>>): Record<string, string> {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value]));
}

function growing(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
}

/** A server's answer as text. Images and audio are only named: they cannot be shown here. */
function toMcpOutput({ content, structuredContent, isError = false }: CallToolResult): ToolOutput {
  const text = content.map(toText).join("\n");
  const output =
    text !== "" || structuredContent === undefined ? text : JSON.stringify(structuredContent, undefined, 2);
  return isError ? { output, failure: "tool_error" } : { output };
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`;
    default:
      return "[content of an unknown kind]";
  }
}
