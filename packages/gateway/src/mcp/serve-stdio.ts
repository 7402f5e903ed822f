import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { DispatchOptions } from "./dispatch-options.ts";
import { createDispatchServer } from "./dispatch-server.ts";

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** Serves the host that started this process, until it closes its end or the signal aborts. Nothing else may write to `stdout`. */
export async function serveDispatchOverStdio(
  options: DispatchOptions,
  { stdin, stdout }: StdioStreams,
  signal: AbortSignal,
): Promise<void> {
  const handle = serveStdio(() => createDispatchServer(options), {
    transport: new StdioServerTransport(stdin, stdout),
  });
  try {
    await Promise.race([once(stdin, "close", { signal }), once(stdin, "end", { signal })]);
  } catch (reason) {
    if (!signal.aborted) throw reason;
  } finally {
    await handle.close();
  }
}
