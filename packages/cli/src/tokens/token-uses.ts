import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const usesSchema = z.record(z.string(), z.number());

/**
 * When each token was last used. A separate file, written only by the gateway: writing to the token file could overwrite a concurrent
 * revocation.
 */
export function readTokenUses(dataDir: string): Readonly<Record<string, number>> {
  try {
    return usesSchema.parse(JSON.parse(readFileSync(usesPath(dataDir), "utf8")));
  } catch {
    return {}; // informational only: start without it
  }
}

export function writeTokenUses(dataDir: string, uses: Readonly<Record<string, number>>): void {
  writePrivateFile(usesPath(dataDir), `${JSON.stringify(uses)}\n`);
}

function usesPath(dataDir: string): string {
  return join(dataDir, "token-uses.json");
}
