import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as after } from "node:timers/promises";

/** How a connection is lost. */
export const mishaps = [
  /** In the middle of what the gateway sends, with a reset. */
  "torn",
  /** In the middle of what it sends, with a polite end. */
  "cut short",
  /** At once, both sides. */
  "reset",
  /** The gateway hears the reader's end first, and may go on sending for a while. */
  "half-closed",
  /** The reader takes nothing for a while, and then is gone. */
  "stalled",
] as const;
export type Mishap = (typeof mishaps)[number];

const A_WHILE_MS = 120;

interface Connection {
  readonly reader: Socket;
  readonly gateway: Socket;
  /** What to do with what the gateway sends next, instead of passing it on. */
  mishap?: (chunk: Buffer) => void;
  isDoomed: boolean;
  hasSpoken: boolean;
}

export interface LineOptions {
  /** Where the gateway is, at the time of each connection. */
  readonly gateway: () => { readonly url: string; readonly token: string };
  readonly random: () => number;
}

/**
 * The network between a gateway and its readers, at its worst. It knows the gateway's token and says it for everybody: a
 * standard WebSocket could not.
 */
export class UnreliableLine {
  readonly #options: LineOptions;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #counts = new Map<Mishap, number>();
  #isBlocked = false;

  private constructor(options: LineOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (reader) => this.#carry(reader));
  }

  static async open(options: LineOptions): Promise<UnreliableLine> {
    const line = new UnreliableLine(options);
    line.#server.listen(0, "127.0.0.1");
    await once(line.#server, "listening");
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that broke while they carried something, by the way they did. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get broken(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** One of the connections that carry something is lost, now or with what comes next over it. */
  breakOne(): void {
    const open = [...this.#connections].filter(({ isDoomed, hasSpoken }) => hasSpoken && !isDoomed);
    const victim = this.#choose(open);
    if (victim === undefined) return;
    victim.isDoomed = true;
    this.#strike(victim, this.#choose(mishaps) ?? "reset");
  }

  /** From now on nothing of what the gateway sends is taken from it, but for the first piece. */
  block(): void {
    this.#isBlocked = true;
  }

  /** All connections are lost, and those that come next are good. */
  unblock(): void {
    this.#isBlocked = false;
    for (const connection of this.#connections) lose(connection);
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections) lose(connection);
  }

  #choose<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#options.random() * items.length)];
  }

  #carry(reader: Socket): void {
    const { url, token } = this.#options.gateway();
    const { host, hostname, port } = new URL(url);
    const gateway = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const connection: Connection = { reader, gateway, isDoomed: false, hasSpoken: false };
    this.#connections.add(connection);
    reader.once("data", (head) => {
      gateway.write(withCredentials(String(head), { host, token }));
      reader.on("data", (chunk) => gateway.write(chunk));
    });
    gateway.on("data", (chunk) => {
      connection.hasSpoken = true;
      if (connection.mishap !== undefined) connection.mishap(chunk);
      else if (!reader.write(chunk) || this.#isBlocked) gateway.pause();
    });
    reader.on("drain", () => {
      if (!connection.isDoomed && !this.#isBlocked) gateway.resume();
    });
    reader.on("end", () => gateway.end());
    gateway.on("end", () => reader.end());
    for (const side of [reader, gateway]) {
      // There is no connection left on which to report it.
      side.on("error", () => undefined);
      side.on("close", () => {
        lose(connection);
        this.#connections.delete(connection);
      });
    }
  }

  #strike(connection: Connection, mishap: Mishap): void {
    const { reader, gateway } = connection;
    const done = (): void => lose(connection);
    const count = (): void => void this.#counts.set(mishap, (this.#counts.get(mishap) ?? 0) + 1);
    /** The next chunk arrives in part, and nothing after it. */
    const shortenNext = (end: (part: Buffer) => void): void => {
      connection.mishap = (chunk) => {
        connection.mishap = () => undefined;
        count();
        end(chunk.subarray(0, Math.floor(this.#options.random() * chunk.length)));
      };
    };
    switch (mishap) {
      case "torn":
        return shortenNext((part) => reader.write(part, () => reader.resetAndDestroy()));
      case "cut short":
        return shortenNext((part) => reader.end(part, done));
      case "reset":
        count();
        return void reader.resetAndDestroy();
      case "half-closed":
        count();
        gateway.end();
        return void after(this.#options.random() * A_WHILE_MS).then(done);
      case "stalled":
        count();
        gateway.pause();
        return void after(this.#options.random() * A_WHILE_MS).then(done);
    }
  }
}

function lose({ reader, gateway }: Connection): void {
  gateway.destroy();
  reader.destroy();
}

/** One request for each connection: the next one would come without them. */
function withCredentials(head: string, { host, token }: { readonly host: string; readonly token: string }): string {
  const isUpgrade = /\r\nupgrade: /i.test(head);
  return head
    .replace(/\r\nhost: [^\r]*/i, `\r\nhost: ${host}\r\nauthorization: Bearer ${token}`)
    .replace(/\r\nconnection: [^\r]*/i, (line) => (isUpgrade ? line : "\r\nconnection: close"));
}
