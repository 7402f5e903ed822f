import { chmodSync, mkdirSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { dirname } from "node:path";

export interface PrivateServer {
  readonly path: string;
  /** Ends the connections that are open, too. */
  close(): Promise<void>;
}

/** Listen on a Unix socket that only this user can reach. One that an earlier process left there is replaced. */
export async function servePrivately(server: Server, path: string): Promise<PrivateServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listenPrivately(server, path);
  return {
    path,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listenPrivately(server: Server, socketPath: string): Promise<void> {
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    // The socket is made within this very call; whatever else is made later must not be made under this mask.
    const previous = process.umask(0o177);
    try {
      server.once("error", reject).listen(socketPath, resolve);
    } finally {
      process.umask(previous);
    }
  });
  chmodSync(socketPath, 0o600);
}
