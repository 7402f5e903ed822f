import { chmodSync, mkdirSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { dirname } from "node:path";

/** Listen on a Unix socket that only this user can reach. One that an earlier process left there is replaced. */
export async function listenPrivately(server: Server, socketPath: string): Promise<void> {
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
