import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@caret/protocol";
import { writePrivateFile } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";

const KEY_BYTES = 32;

/**
 * What compacted conversations are sealed with: the fleet's key, or one of this machine's own. Clients keep what was sealed and
 * send it again for as long as they like, so it outlives the gateway.
 */
export function compactionKey({
  dataDir,
  fleet,
}: {
  readonly dataDir: string;
  readonly fleet: Pick<Config["fleet"], "key">;
}): Secret {
  return new Secret(fleet.key ?? keyOfMachine(join(dataDir, "compaction-key")));
}

/** Made once, and whole: of two gateways that start at the same time one makes it, and both have it. */
function keyOfMachine(file: string): string {
  if (!existsSync(file)) {
    const draft = `${file}.${randomUUID()}`;
    writePrivateFile(draft, randomBytes(KEY_BYTES).toString("base64url"));
    try {
      linkSync(draft, file);
    } catch (reason) {
      if ((reason as NodeJS.ErrnoException).code !== "EEXIST") throw reason;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  return readFileSync(file, "utf8");
}
