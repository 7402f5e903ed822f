import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A proxy like those people put before a gateway: it serves it below `/caret/`, and nothing else. */
export class BelowPath {
  readonly #server: Server;
  #target: URL | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (asked, answer) => {
      const path = this.#pathOf(asked);
      if (path === undefined) return void answer.writeHead(404).end();
      const forward = request(new URL(path, this.#target), { method: asked.method, headers: this.#headersOf(asked) });
      forward.on("response", (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        // A stream of events may have nothing to say for a while.
        answer.flushHeaders();
        got.pipe(answer);
      });
      forward.on("error", () => answer.destroy());
      answer.on("close", () => forward.destroy());
      asked.pipe(forward);
    });
    server.on("upgrade", (asked, socket, head) => {
      const path = this.#pathOf(asked);
      if (path === undefined || this.#target === undefined) return void socket.destroy();
      const there = connect(Number(this.#target.port), this.#target.hostname);
      const lines = Object.entries(this.#headersOf(asked)).map(([name, value]) => `${name}: ${value}`);
      there.write(`${[`${asked.method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
      there.write(head);
      for (const [one, other] of [
        [there, socket],
        [socket, there],
      ] as const) {
        one.pipe(other);
        one.on("error", () => other.destroy());
      }
    });
  }

  static async listen(): Promise<BelowPath> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new BelowPath(server);
  }

  /** What a browser calls the origin of everything behind this. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  lead(target: string): void {
    this.#target = new URL(target);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pathOf({ url = "" }: IncomingMessage): string | undefined {
    return url.startsWith("/caret/") ? url.slice("/caret".length) : undefined;
  }

  #headersOf({ headers }: IncomingMessage): IncomingMessage["headers"] {
    return { ...headers, host: this.#target?.host ?? "" };
  }
}
