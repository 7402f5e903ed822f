import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";

const KEY_BYTES = 32;

/**
 * What compacted conversations are sealed with: the fleet's key, or one of this machine's own. Clients keep what was sealed and
 * send it again for as long as they like, so it outlives the gateway.
 */
export function compactionKey({ dataDir, fleet }: Pick<Config, "dataDir" | "fleet">): Secret {
  return new Secret(fleet.key ?? keyOfMachine(join(dataDir, "compaction-key")));
}

/** Made once. Of two gateways that start at the same time one makes it, and both have it. */
function keyOfMachine(file: string): string {
  try {
    writeFileSync(file, randomBytes(KEY_BYTES).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "EEXIST") throw reason;
  }
  return readFileSync(file, "utf8");
}
