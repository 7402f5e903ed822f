import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOCKET = ".s.PGSQL.5432";

/** A way to a PostgreSQL server that can be cut: from then on no byte passes, in neither direction, and no connection ends. */
export interface CuttableSocket {
  /** The address of the same database by this way. */
  url(url: string): string;
  cut(): void;
  /** What was connected is ended, as after a partition that outlasted the sockets; new connections pass. */
  mend(): void;
  close(): void;
}

export function openCuttableSocket(directory: string): CuttableSocket {
  const own = mkdtempSync(join(tmpdir(), "caret-cut-"));
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer({ allowHalfOpen: false }, (near) => {
    const far = connect(join(directory, SOCKET));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
      if (isCut) from.pause();
    }
  });
  server.listen(join(own, SOCKET));
  return {
    url: (url) => url.replace(encodeURI(directory), encodeURI(own)),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      rmSync(own, { recursive: true, force: true });
    },
  };
}
