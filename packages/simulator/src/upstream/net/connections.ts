import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Every connection of an upstream, for the faults that are a connection's and not a stream's. */
export interface Connections {
  /** Passes a socket's bytes on in both directions until it is frozen. */
  relay(socket: Socket): Duplex;
  /** From now on nothing is read or written, and nothing is closed: no PING is answered. */
  freeze(): void;
  /** Sends bytes past the HTTP library. */
  inject(bytes: Uint8Array): void;
}

export function createConnections(): Connections {
  const relays = new Set<Relay>();
  return {
    relay(socket) {
      const relay = new Relay(socket);
      relays.add(relay);
      socket.on("close", () => relays.delete(relay));
      return relay;
    },
    freeze() {
      for (const relay of relays) relay.freeze();
    },
    inject(bytes) {
      for (const relay of relays) relay.inject(bytes);
    },
  };
}

class Relay extends Duplex {
  readonly #socket: Socket;
  #isFrozen = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      if (!this.#isFrozen && !this.push(chunk)) socket.pause();
    });
    socket.on("end", () => this.push(null));
    socket.on("close", () => this.destroy());
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#socket.pause();
  }

  inject(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  override _read(): void {
    if (!this.#isFrozen) this.#socket.resume();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    if (!this.#isFrozen) this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    if (this.#isFrozen) done();
    else this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isFrozen) this.#socket.destroy();
    done(error);
  }
}
