import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@caret/protocol";
import { writePrivateFile } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";

const KEY_BYTES = 32;

/**
 * The key that seals compacted conversations: the fleet's, or this machine's own. Clients keep sealed conversations and resend them
 * indefinitely, so it outlives the gateway.
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

/** Created once, atomically: if two gateways start at the same time, one creates it and both use it. */
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
