import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentHost, type BridgeHub, openBridgeHub } from "@caret/runtime";
import { version } from "./version.ts";

export interface LazyBridge {
  readonly open: AgentHost["openBridge"];
  readonly close: () => Promise<void>;
}

/** The socket lives outside the data directory, whose path may be longer than a socket's may be. */
export function lazyBridge(): LazyBridge {
  let hub: Promise<BridgeHub> | undefined;
  const command = {
    file: process.execPath,
    args: [fileURLToPath(new URL("../bin/caret.js", import.meta.url)), "mcp-bridge"],
  };
  return {
    async open() {
      hub ??= mkdtemp(join(tmpdir(), "caret-")).then((directory) =>
        openBridgeHub({ socketPath: join(directory, "bridge.sock"), version }),
      );
      return { hub: await hub, command };
    },
    async close() {
      if (hub === undefined) return;
      const { socketPath, close } = await hub;
      await close();
      await rm(dirname(socketPath), { recursive: true, force: true });
    },
  };
}
