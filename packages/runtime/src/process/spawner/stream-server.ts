import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

const GREETING_BYTES = 128;
/** How long a connection may take to say what it is, and then wait to be expected. */
const STRANGER_MS = 5_000;
/** How long an expected connection may take to come: longer than the gateway waits for a start. */
const EXPECTED_MS = 60_000;
const BACKLOG = 4_096;

export interface StreamServerOptions {
  readonly path: string;
  readonly strangerMs?: number;
}

/**
 * Where the spawner is given the streams of children: a Unix socket in a directory that only this user can enter. The gateway
 * connects once for each stream and says in a first line what it is; after that nothing is read here, since what follows is
 * for the child. A connection that nobody expects is closed.
 */
export class StreamServer {
  readonly #server: Server;
  readonly #strangerMs: number;
  readonly #listening = Promise.withResolvers<void>();
  readonly #expected = new Map<string, (socket: Socket) => void>();
  readonly #arrived = new Map<string, Socket>();

  constructor({ path, strangerMs = STRANGER_MS }: StreamServerOptions) {
    this.#strangerMs = strangerMs;
    // A child that ends its output still reads its input, and the other way round.
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

  /** The connection with this greeting, which may have come already. Rejects when it does not come. */
  expect(greeting: string): Promise<Socket> {
    const arrived = this.#arrived.get(greeting);
    if (arrived !== undefined) return Promise.resolve(this.#give(greeting, arrived));
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#expected.delete(greeting);
        reject(new Error(`No connection came for ${greeting}`));
      }, EXPECTED_MS);
      this.#expected.set(greeting, (socket) => {
        clearTimeout(late);
        resolve(socket);
      });
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#arrived.values()) socket.destroy();
  }

  #greet(socket: Socket): void {
    let heard = "";
    const listen = (chunk: Buffer): void => {
      heard += chunk.toString("latin1");
      const end = heard.indexOf("\n");
      if (end < 0 && heard.length < GREETING_BYTES) return;
      socket.off("data", listen);
      socket.pause();
      // The gateway waits for the start before it writes more: a client that does not is another.
      if (end === heard.length - 1) this.#hand(heard.slice(0, end), socket);
      else socket.destroy();
    };
    const refuse = (): void => void socket.destroy();
    socket.setTimeout(this.#strangerMs);
    socket.on("data", listen).on("timeout", refuse).on("error", refuse).on("end", refuse);
  }

  #hand(greeting: string, socket: Socket): void {
    const take = this.#expected.get(greeting);
    this.#expected.delete(greeting);
    if (take !== undefined) return take(this.#give(greeting, socket));
    this.#arrived.set(greeting, socket);
    socket.once("close", () => this.#arrived.delete(greeting));
  }

  #give(greeting: string, socket: Socket): Socket {
    this.#arrived.delete(greeting);
    return socket.setTimeout(0);
  }
}
