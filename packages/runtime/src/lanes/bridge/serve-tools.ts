import type { Socket } from "node:net";
import { CaretError } from "@caret/protocol";
import {
  type CallToolResult,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  Server,
  type Transport,
} from "@modelcontextprotocol/server";
import type { AnswerCall, ToolResult } from "../../calls/tool-call.ts";
import { createLineSplitter } from "../../decode/framing/line-splitter.ts";
import type { ToolOffer } from "../offered-tools.ts";

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Interval of progress while a call waits for its client: it keeps the agent's own time limit from expiring. */
const PROGRESS_MS = 5_000;

export interface ServedTools {
  /** The current offer: it may change while the agent works. */
  readonly offer: () => ToolOffer;
  readonly onCall: AnswerCall;
  /** Version sent to the agent. */
  readonly version: string;
  readonly progressMs?: number;
}

/** The MCP server of one connection. */
export interface ToolServer {
  /** Tells the agent that its tools have changed. */
  toolsChanged(): void;
}

/** Serves MCP to the agent at the other end until the connection closes. */
export async function serveTools(socket: Socket, tools: ServedTools): Promise<ToolServer> {
  const { offer, onCall, version, progressMs = PROGRESS_MS } = tools;
  const { instructions } = offer();
  const server = new Server(
    { name: "caret", version },
    { capabilities: { tools: { listChanged: true } }, ...(instructions === "" ? {} : { instructions }) },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: offer().tools.map(({ inputSchema, origin: _, ...tool }) => ({
      ...tool,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const call = offer().resolve(params.name, params.arguments ?? {});
    if (call === undefined) return textResult(`There is no tool ${params.name}.`, true);
    const progressToken = params._meta?.progressToken;
    let progress = 0;
    const tellProgress = (): void => {
      progress += 1;
      const sent = mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
      sent.catch(() => undefined); // the agent has left, and its call with it
    };
    const timer = progressToken === undefined ? undefined : setInterval(tellProgress, progressMs);
    try {
      return callResult(await onCall(call, mcpReq.signal));
    } finally {
      clearInterval(timer);
    }
  });
  await server.connect(new SocketTransport(socket));
  return {
    toolsChanged() {
      server.sendToolListChanged().catch(() => undefined); // the agent has left
    },
  };
}

function textResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError };
}

function callResult({ text, images = [], isError }: ToolResult): CallToolResult {
  const shown = images.map(({ mediaType, data }) => ({ type: "image" as const, mimeType: mediaType, data }));
  return { content: [{ type: "text", text }, ...shown], isError };
}

/** MCP over a connection, one message per line. */
export class SocketTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async start(): Promise<void> {
    const splitter = createLineSplitter({ maxLineBytes: MAX_MESSAGE_BYTES });
    this.#socket.once("close", () => this.onclose?.());
    this.#socket.on("data", (chunk) => {
      const { lines, failure } = splitter.push(chunk);
      for (const line of lines) this.#hear(line);
      if (failure !== undefined) this.#socket.destroy();
    });
    this.#socket.resume();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }

  #hear(line: string): void {
    try {
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(line)));
    } catch (reason) {
      // An invalid message cannot be answered, and is no reason to leave the agent without its tools.
      this.onerror?.(CaretError.from(reason));
    }
  }
}
