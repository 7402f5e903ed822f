import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { type StreamName, socketGreeting } from "./spawner-messages.ts";

const GREETING_BYTES = 128;
const GREETING_MS = 5_000;
const BACKLOG = 4_096;

/**
 * Where the streams of children arrive: a Unix socket that only this user can reach. Each connection says in its first
 * line what it is, and is handed to the caller that expects it; an unexpected connection is closed.
 */
export class StreamServer {
  readonly path: string;
  readonly #directory: string;
  readonly #server: Server;
  readonly #expected = new Map<string, (socket: Socket) => void>();

  constructor(parentDirectory: string) {
    this.#directory = mkdtempSync(join(parentDirectory, "caret-"));
    chmodSync(this.#directory, 0o700);
    this.path = join(this.#directory, "streams");
    // A child that ends its output still reads its input, and the other way round.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#greet(socket));
    this.#server.listen({ path: this.path, backlog: BACKLOG }, () => chmodSync(this.path, 0o600));
    this.#server.unref();
  }

  expect(greeting: string): Promise<Socket> {
    return new Promise((resolve) => this.#expected.set(greeting, resolve));
  }

  forget(greeting: string): void {
    this.#expected.delete(greeting);
  }

  close(): void {
    this.#server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #greet(socket: Socket): void {
    let heard = Buffer.alloc(0);
    const refuse = (): void => void socket.destroy();
    const listen = (chunk: Buffer): void => {
      heard = Buffer.concat([heard, chunk]);
      const end = heard.indexOf(0x0a);
      if (end < 0 && heard.length < GREETING_BYTES) return;
      socket.off("data", listen).off("timeout", refuse).off("error", refuse).off("end", refuse);
      socket.setTimeout(0);
      socket.pause();
      this.#hand(socket, heard.toString("latin1", 0, Math.max(end, 0)), heard.subarray(end + 1));
    };
    socket.setTimeout(GREETING_MS);
    socket.on("data", listen).on("timeout", refuse).on("error", refuse).on("end", refuse);
  }

  #hand(socket: Socket, greeting: string, rest: Buffer): void {
    const take = this.#expected.get(greeting);
    this.#expected.delete(greeting);
    if (take === undefined) {
      socket.destroy();
      return;
    }
    // The child may already have spoken in the same breath.
    if (rest.length > 0) socket.unshift(rest);
    take(socket);
  }
}

export interface ArrivedStreams {
  readonly stdin: Socket | undefined;
  readonly stdout: Socket;
  readonly stderr: Socket;
}

export interface ExpectedStreams {
  readonly arrived: Promise<ArrivedStreams>;
  /** Closes what has come and refuses what comes later. */
  forget(): void;
}

/** Waits for the streams of one child. */
export function expectStreams(server: StreamServer, id: string, hasStdin: boolean): ExpectedStreams {
  const greetings: string[] = [];
  const sockets: Socket[] = [];
  const expect = async (stream: StreamName): Promise<Socket> => {
    const greeting = socketGreeting(id, stream);
    greetings.push(greeting);
    const socket = await server.expect(greeting);
    sockets.push(socket);
    return socket;
  };
  const all = Promise.all([hasStdin ? expect("stdin") : undefined, expect("stdout"), expect("stderr")] as const);
  return {
    arrived: all.then(([stdin, stdout, stderr]) => ({ stdin, stdout, stderr })),
    forget() {
      for (const greeting of greetings) server.forget(greeting);
      for (const socket of sockets) socket.destroy();
    },
  };
}
