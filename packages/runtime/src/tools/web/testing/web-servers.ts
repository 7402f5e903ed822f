import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server of a test, with a count of the connections it saw. */
export interface TestServer {
  readonly origin: string;
  readonly port: number;
  connections(): number;
  close(): Promise<void>;
}

export async function startServer(listener: RequestListener, host = "127.0.0.1", port = 0): Promise<TestServer> {
  const server: Server = createServer(listener);
  let count = 0;
  server.on("connection", () => {
    count += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    origin: `http://${host}:${bound}`,
    port: bound,
    connections: () => count,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
