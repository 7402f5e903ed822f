import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

const GREETING_BYTES = 128;
/** Minimum time for a connection to identify itself and to be claimed. */
const STRANGER_MS = 5_000;
/** How long expected connections may take: longer than the gateway waits for a start. */
const EXPECTED_MS = 60_000;
const BACKLOG = 4_096;

export interface StreamServerOptions {
  readonly path: string;
  readonly strangerMs?: number;
  readonly expectedMs?: number;
}

interface Expected {
  readonly greetings: readonly string[];
  readonly late: NodeJS.Timeout;
  resolve(sockets: Socket[]): void;
}

/**
 * Where the spawner receives the streams of children: a Unix socket in a directory private to this user. The gateway connects once per
 * stream and identifies it in a first line; after that nothing is read here, because the rest is for the child. Unexpected connections are
 * closed.
 */
export class StreamServer {
  readonly #server: Server;
  readonly #strangerMs: number;
  readonly #expectedMs: number;
  readonly #listening = Promise.withResolvers<void>();
  readonly #expected = new Map<string, Expected>();
  readonly #arrived = new Map<string, Socket>();
  /** Unclaimed connections: recent ones, and those from before the last check. */
  #strangers = new Set<Socket>();
  #olderStrangers = new Set<Socket>();
  #look: NodeJS.Timeout | undefined;

  constructor({ path, strangerMs = STRANGER_MS, expectedMs = EXPECTED_MS }: StreamServerOptions) {
    this.#strangerMs = strangerMs;
    this.#expectedMs = expectedMs;
    // A child that ends its output still reads its input, and vice versa.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#greet(socket));
    this.#server.once("error", this.#listening.reject);
    this.#server.listen({ path, backlog: BACKLOG }, () => {
      chmodSync(path, 0o600);
      this.#listening.resolve();
    });
  }

  get listening(): Promise<void> {
    return this.#listening.promise;
  }

  /** The connections with these greetings, some of which may already be there: all of them, or it rejects. */
  expect(greetings: readonly string[]): Promise<Socket[]> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        for (const socket of this.#arrivals(greetings)) socket.destroy();
        this.#forget(greetings);
        reject(new Error(`No connection came for one of ${greetings.join(", ")}`));
      }, this.#expectedMs);
      const expected = { greetings, late, resolve };
      for (const greeting of greetings) this.#expected.set(greeting, expected);
      this.#giveIfWhole(expected);
    });
  }

  close(): void {
    this.#server.close();
    clearTimeout(this.#look);
    for (const socket of [...this.#strangers, ...this.#olderStrangers, ...this.#arrived.values()]) socket.destroy();
  }

  #greet(socket: Socket): void {
    let heard = "";
    const listen = (chunk: Buffer): void => {
      heard += chunk.toString("latin1");
      const end = heard.indexOf("\n");
      if (end < 0 && heard.length < GREETING_BYTES) return;
      socket.off("data", listen);
      socket.pause();
      // The gateway waits for the start before it writes more: a client that does not is someone else.
      if (end === heard.length - 1) this.#arrive(heard.slice(0, end), socket);
      else socket.destroy();
    };
    this.#strangers.add(socket);
    this.#look ??= setTimeout(() => this.#refuseOlder(), this.#strangerMs);
    socket.on("data", listen).on("error", ignoreError);
  }

  #arrive(greeting: string, socket: Socket): void {
    this.#arrived.get(greeting)?.destroy();
    this.#arrived.set(greeting, socket);
    const expected = this.#expected.get(greeting);
    if (expected !== undefined) this.#giveIfWhole(expected);
  }

  #giveIfWhole({ greetings, late, resolve }: Expected): void {
    const sockets = this.#arrivals(greetings);
    for (const socket of sockets) if (!this.#strangers.delete(socket)) this.#olderStrangers.delete(socket);
    if (sockets.length < greetings.length) return;
    clearTimeout(late);
    this.#forget(greetings);
    resolve(sockets);
  }

  #arrivals(greetings: readonly string[]): Socket[] {
    const sockets: Socket[] = [];
    for (const greeting of greetings) {
      const socket = this.#arrived.get(greeting);
      if (socket !== undefined) sockets.push(socket);
    }
    return sockets;
  }

  #forget(greetings: readonly string[]): void {
    for (const greeting of greetings) {
      this.#expected.delete(greeting);
      this.#arrived.delete(greeting);
    }
  }

  /** One timer for all: nearly every connection is claimed within a millisecond. */
  #refuseOlder(): void {
    for (const socket of this.#olderStrangers) socket.destroy();
    for (const [greeting, socket] of this.#arrived) if (socket.destroyed) this.#arrived.delete(greeting);
    this.#olderStrangers = this.#strangers;
    this.#strangers = new Set();
    const isAnyLeft = this.#olderStrangers.size > 0;
    this.#look = isAnyLeft ? setTimeout(() => this.#refuseOlder(), this.#strangerMs) : undefined;
  }
}

/** Node closes a broken connection; whoever expects it gets a timeout. */
function ignoreError(): void {}
