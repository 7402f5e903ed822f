import { connect, type Socket } from "node:net";
import { createLineSplitter } from "../../framing/line-splitter.ts";
import {
  type BridgeReply,
  type BridgeRequest,
  bridgeReplySchema,
  type CallResult,
  type ClientTool,
} from "./bridge-messages.ts";

export interface BridgeAddress {
  readonly socketPath: string;
  readonly turnId: string;
  readonly secret: string;
}

export interface BridgeClient {
  readonly tools: readonly ClientTool[];
  call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallResult>;
  /** Resolves when the gateway is gone: nothing more can be answered then. */
  readonly closed: Promise<void>;
  close(): void;
}

const GONE: CallResult = { text: "The gateway that runs this tool is gone.", isError: true };

/** The agent's end of a bridge. Rejects when the gateway does not know the turn. */
export async function connectBridge({ socketPath, turnId, secret }: BridgeAddress): Promise<BridgeClient> {
  const socket = connect(socketPath);
  const waiting = new Map<string, (result: CallResult) => void>();
  const welcome = Promise.withResolvers<readonly ClientTool[]>();
  const closed = Promise.withResolvers<void>();
  let count = 0;

  readReplies(socket, (reply) => {
    if (reply.type === "welcome") welcome.resolve(reply.tools as readonly ClientTool[]);
    else if (reply.type === "refused") welcome.reject(new Error(`The gateway refused the bridge: ${reply.reason}`));
    else waiting.get(reply.id)?.({ text: reply.text, isError: reply.isError });
  });
  socket.once("error", (error) => welcome.reject(error));
  socket.once("close", () => {
    welcome.reject(new Error("The gateway closed the connection"));
    for (const settle of waiting.values()) settle(GONE);
    closed.resolve();
  });
  const send = (request: BridgeRequest): void => void socket.write(`${JSON.stringify(request)}\n`);
  send({ type: "hello", turnId, secret });

  return {
    tools: await welcome.promise,
    closed: closed.promise,
    async call(name, input, signal) {
      count += 1;
      const id = String(count);
      const result = Promise.withResolvers<CallResult>();
      waiting.set(id, result.resolve);
      signal.addEventListener("abort", () => send({ type: "cancel", id }), { once: true });
      if (socket.destroyed) result.resolve(GONE);
      else send({ type: "call", id, name, input: { ...input } });
      const settled = await result.promise;
      waiting.delete(id);
      return settled;
    },
    close: () => void socket.end(),
  };
}

function readReplies(socket: Socket, onReply: (reply: BridgeReply) => void): void {
  const splitter = createLineSplitter();
  socket.on("data", (chunk) => {
    for (const line of splitter.push(chunk).lines) onReply(bridgeReplySchema.parse(JSON.parse(line)));
  });
}
