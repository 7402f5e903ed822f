import type { Socket } from "node:net";
import { CaretError } from "@caret/protocol";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { createLineSplitter } from "../../framing/line-splitter.ts";

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** MCP over a connection, a message per line. */
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
      // What is no message cannot be answered, and is no reason to leave the agent without its tools.
      this.onerror?.(CaretError.from(reason));
    }
  }
}
