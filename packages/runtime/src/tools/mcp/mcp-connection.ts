import { CaretError } from "@caret/protocol";
import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { type ListedTools, listMcpTools } from "./list-mcp-tools.ts";

const CONNECT_MS = 30_000;
const DEFAULT_CALL_MS = 60_000;

/** A transport that may know its server's error output. */
export type McpTransport = Transport & { stderrTail?(): string };

export interface McpConnectionOptions {
  readonly name: string;
  readonly open: () => McpTransport;
  /** Wait before the next attempt, given the number of failed ones. */
  readonly backoffMs: (attempt: number) => number;
  readonly callTimeoutMs?: number | undefined;
}

/**
 * One MCP server, kept connected.
 *
 * It connects at once, and again whenever the connection is lost: after a growing wait, or immediately if a call needs it. A call in flight
 * when the connection broke fails and is not repeated, because its effect is unknown. The tools stay listed during an outage, so a server's
 * short absence does not change what the agent sees.
 */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  #client: Promise<Client> | undefined;
  /** Set while connected. */
  #current: Client | undefined;
  /** Set from the start of an attempt, so a server that never answers can be abandoned. */
  #latest: Client | undefined;
  #listed: ListedTools = { tools: [], leftOut: [] };
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get listed(): ListedTools {
    return this.#listed;
  }

  connect(): Promise<Client> {
    if (this.#closed) return Promise.reject(new CaretError("cancelled", "Caret is shutting down"));
    clearTimeout(this.#timer);
    this.#client ??= this.#open();
    return this.#client;
  }

  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    const client = await this.connect();
    const timeout = this.#options.callTimeoutMs ?? DEFAULT_CALL_MS;
    try {
      return await client.callTool({ name: tool, arguments: input }, { signal, timeout, maxTotalTimeout: timeout });
    } catch (reason) {
      const error = signal.aborted ? reason : this.#toError(reason);
      // The only sign over HTTP: a restarted server does not know our session.
      if (CaretError.is(error) && error.code === "upstream-unreachable") await this.#drop(client);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#latest?.close();
    await this.#client?.catch(() => undefined); // an aborted attempt has rejected its own callers
  }

  async #open(): Promise<Client> {
    const client = new Client({ name: "caret", version: "0.1.0" });
    client.setNotificationHandler("notifications/tools/list_changed", async () => {
      this.#listed = await this.#list(client);
    });
    // Ignore events of a client that was replaced.
    client.onclose = () => {
      if (this.#current === client) this.#lose();
    };
    this.#latest = client;
    const transport = this.#options.open();
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
      this.#listed = await this.#list(client);
    } catch (reason) {
      // Closing can fail as well at this point; nothing more can be done.
      await client.close().catch(() => undefined);
      this.#lose();
      throw this.#toError(reason, transport.stderrTail?.());
    }
    this.#current = client;
    this.#attempt = 0;
    return client;
  }

  #list(client: Client): Promise<ListedTools> {
    return listMcpTools(client, this.name, { timeout: CONNECT_MS });
  }

  async #drop(client: Client): Promise<void> {
    await client.close().catch(() => undefined); // it is broken already
  }

  #lose(): void {
    this.#client = undefined;
    this.#current = undefined;
    if (this.#closed) return;
    this.#attempt += 1;
    this.#timer = setTimeout(() => {
      // A failed attempt schedules the next one; a call that needs the server gets the reason.
      this.connect().catch(() => undefined);
    }, this.#options.backoffMs(this.#attempt)).unref();
  }

  #toError(reason: unknown, upstream = ""): CaretError {
    if (CaretError.is(reason) && reason.code !== "upstream-unreachable") return reason;
    const { name } = this.#options;
    const words = (reason as Error).message;
    if (reason instanceof ProtocolError)
      return new CaretError("upstream-error", `The MCP server ${name} answered: ${words}`, { cause: reason });
    if (reason instanceof SdkError && reason.code === SdkErrorCode.RequestTimeout)
      return new CaretError("timed-out", `The MCP server ${name} did not answer in time`, { cause: reason });
    return new CaretError("upstream-unreachable", `The MCP server ${name} cannot be reached: ${words}`, {
      cause: reason,
      ...(upstream === "" ? {} : { upstream }),
    });
  }
}
