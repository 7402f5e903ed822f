import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@caret/runtime";
import type { MergedConfig } from "../config/merge-layers.ts";

/** File with the port of this data directory's last gateway. Outlives it, unlike `gateway.json`. */
function keptPortPath(dataDir: string): string {
  return join(dataDir, "port");
}

export function keepPort(dataDir: string, port: number): void {
  writePrivateFile(keptPortPath(dataDir), `${port}\n`);
}

/** Uses the last gateway's port unless one was requested, because clients' files name it. Without a last gateway, the default. */
export function withKeptPort<Loaded extends MergedConfig>(loaded: Loaded): Loaded {
  const { config, sources } = loaded;
  const port = (sources["server.port"]?.kind ?? "default") === "default" ? readKeptPort(config.dataDir) : undefined;
  return port === undefined ? loaded : { ...loaded, config: { ...config, server: { ...config.server, port } } };
}

function readKeptPort(dataDir: string): number | undefined {
  try {
    const port = Number(readFileSync(keptPortPath(dataDir), "utf8"));
    return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined; // no gateway has run here
  }
}
