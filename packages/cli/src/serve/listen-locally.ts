import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { acceptLocal } from "@caret/gateway";

const NAME = "gateway.sock";

/** What fits into the address of a Unix socket on every system: 104 bytes on macOS, 108 on Linux, with their end. */
const LONGEST_PATH = 100;

export interface LocalSocket {
  readonly path: string;
  /** Takes no more connections. Those that are open are the server's. */
  close(): void;
}

/**
 * A Unix socket for commands of the gateway's own user, which need no token there. The directory is 0700 and the socket 0600. One that an
 * earlier gateway left behind is replaced: only one has the data directory. Undefined on Windows.
 */
export async function listenLocally(server: Server, dataDir: string): Promise<LocalSocket | undefined> {
  if (process.platform === "win32") return undefined;
  const path = socketPath(dataDir);
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

/** In the data directory, unless its path is longer than a socket's may be. */
function socketPath(dataDir: string): string {
  const path = join(dataDir, NAME);
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : join(mkdtempSync(join(tmpdir(), "caret-")), NAME);
}
