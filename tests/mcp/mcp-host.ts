import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess } from "../clients/gateway-process.ts";

/** What a host is told of a turn, as far as tests look at it. */
export interface Report {
  readonly session: string;
  readonly state: string;
  readonly answer: string;
  readonly ask?: {
    readonly kind: string;
    readonly request: string;
    readonly subject?: string;
    readonly shown?: string;
    readonly details?: { readonly input?: unknown };
  };
  readonly files: readonly string[];
  readonly next: string;
}

interface HostOptions {
  /** The directories that the host works in; undefined: it does not say. */
  readonly roots?: readonly string[];
  /** What its person says to a message; undefined: it can ask nobody. */
  readonly confirm?: (message: string) => "accept" | "decline";
  /** Speaks the protocol of 2026 instead of that of 2025. */
  readonly isModern?: boolean;
}

/** An MCP host, as a coding program is one. */
export class McpHost {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(transport: Transport, { roots, confirm, isModern = false }: HostOptions = {}): Promise<McpHost> {
    const client = new Client(
      { name: "host", version: "1" },
      {
        capabilities: {
          ...(roots === undefined ? {} : { roots: {} }),
          ...(confirm === undefined ? {} : { elicitation: { form: {} } }),
        },
        ...(isModern ? { versionNegotiation: { mode: "auto" } } : {}),
      },
    );
    if (roots !== undefined)
      client.setRequestHandler("roots/list", () => ({ roots: roots.map((root) => ({ uri: `file://${root}` })) }));
    if (confirm !== undefined)
      client.setRequestHandler("elicitation/create", ({ params }) => ({ action: confirm(params.message) }));
    await client.connect(transport);
    return new McpHost(client);
  }

  /** Calls a tool and gives its structure; fails with the text of an error. */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<Report> {
    const result = await this.raw(name, args);
    if (result.isError === true) throw new Error(textOf(result));
    return result.structuredContent as unknown as Report;
  }

  async raw(name: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
    return (await this.client.callTool({ name, arguments: args })) as CallToolResult;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

export function httpTransport({ url, token }: Pick<GatewayProcess, "url" | "token">): StreamableHTTPClientTransport {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit });
}

/** `caret mcp`, as a host starts it. */
export function stdioTransport(home: GatewayHome, args: readonly string[] = []): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [caret, "mcp", "--lane", "sim", ...args],
    cwd: home.workspace,
    env: home.environment(),
    stderr: "pipe",
  });
}
