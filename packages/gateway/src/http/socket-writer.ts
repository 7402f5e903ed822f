import type { Socket } from "node:net";
import type { WebSocket } from "@fastify/websocket";
import type { StreamMeter } from "./request-context.ts";

const DEFAULT_STUCK_MS = 30_000;
/** How long the other side may take to answer our goodbye. */
const GOODBYE_MS = 1000;
/** A close reason has to fit into a control frame. */
const MAX_REASON = 100;

export interface SocketWriterOptions {
  /** The stream below the WebSocket: corked, so writes of one batch go out together. */
  readonly stream: Pick<Socket, "cork" | "uncork">;
  /** Aborts when the server ends the connection early. */
  readonly stop: AbortSignal;
  readonly keepAliveMs: number;
  readonly meter?: StreamMeter | undefined;
}

/** Writes to a WebSocket as `SseWriter` does to a response. */
export interface SocketWriter {
  /** Sends one batch, each text a message. Resolves when the reader has taken it or is gone; a stuck one is disconnected. Never rejects. */
  write(texts: readonly string[]): Promise<void>;
  end(code: number, reason: string): void;
  /** Fires when the client is gone or was cut, or when the server wants the stream to end. */
  readonly signal: AbortSignal;
}

export function createSocketWriter(socket: WebSocket, options: SocketWriterOptions): SocketWriter {
  const { stream, stop, keepAliveMs, meter } = options;
  const stuckMs = meter?.stuckMs ?? DEFAULT_STUCK_MS;
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort(stop.reason);
    // A client that does not read never gets the close frame, which is queued behind earlier data.
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
  };
  let waiting: NodeJS.Timeout | undefined;

  /** Disconnects a client that neither takes a batch nor answers a ping within this time. */
  function awaitReader(): void {
    waiting ??= setTimeout(() => {
      meter?.cut();
      socket.terminate();
    }, stuckMs).unref();
  }

  function readerIsHere(): void {
    clearTimeout(waiting);
    waiting = undefined;
  }

  const pulse = setInterval(() => {
    if (waiting !== undefined) return;
    awaitReader();
    socket.ping();
  }, keepAliveMs).unref();

  meter?.opened();
  socket.on("pong", readerIsHere);
  socket.once("close", () => {
    clearInterval(pulse);
    readerIsHere();
    stop.removeEventListener("abort", leave);
    meter?.closed();
    gone.abort(new DOMException("The client has gone", "AbortError"));
  });
  if (stop.aborted) leave();
  else stop.addEventListener("abort", leave, { once: true });

  return {
    signal: gone.signal,
    async write(texts) {
      if (texts.length === 0 || socket.readyState !== socket.OPEN) return;
      awaitReader();
      await sendAll(socket, stream, texts);
      readerIsHere();
      meter?.wrote(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
    },
    end(code, reason) {
      socket.close(code, reason.slice(0, MAX_REASON));
      setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
    },
  };
}

/** Resolves when the last one has left for the network, or never will. */
function sendAll(socket: WebSocket, stream: SocketWriterOptions["stream"], texts: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", resolve);
    const sent = (): void => {
      socket.off("close", resolve);
      resolve();
    };
    stream.cork();
    for (const [index, text] of texts.entries()) socket.send(text, index === texts.length - 1 ? sent : undefined);
    stream.uncork();
  });
}
