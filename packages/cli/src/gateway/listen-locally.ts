import { chmodSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { acceptLocal } from "@caret/gateway";
import { socketPathIn } from "@caret/runtime";

const NAME = "gateway.sock";

export interface LocalSocket {
  readonly path: string;
  /** Stops accepting connections. Open ones belong to the server. */
  close(): void;
}

/**
 * A Unix socket for commands of the gateway's own user, which need no token there. The directory is 0700, the socket 0600. A leftover
 * socket of an earlier gateway is replaced: only one holds the data directory. Undefined on Windows.
 */
export async function listenLocally(server: Server, dataDir: string): Promise<LocalSocket | undefined> {
  if (process.platform === "win32") return undefined;
  const path = socketPathIn(dataDir, NAME);
  rmSync(path, { force: true });
  const listener = createServer((socket) => acceptLocal(server, socket));
  await new Promise<void>((resolve, reject) => listener.once("error", reject).listen(path, resolve));
  chmodSync(path, 0o600);
  return {
    path,
    close() {
      listener.close();
      if (dirname(path) !== dataDir) rmSync(dirname(path), { recursive: true, force: true });
    },
  };
}
