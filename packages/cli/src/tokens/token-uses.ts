import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateFile } from "./token-file.ts";

const usesSchema = z.record(z.string(), z.number());

/**
 * When each token was last used. A file of its own, written by the gateway alone: in the token file such a note could
 * overwrite a revocation that someone writes at the same moment.
 */
export function readTokenUses(dataDir: string): Readonly<Record<string, number>> {
  try {
    return usesSchema.parse(JSON.parse(readFileSync(usesPath(dataDir), "utf8")));
  } catch {
    return {}; // no more than a note: without it nothing is known about the past
  }
}

export function writeTokenUses(dataDir: string, uses: Readonly<Record<string, number>>): void {
  writePrivateFile(usesPath(dataDir), `${JSON.stringify(uses)}\n`);
}

function usesPath(dataDir: string): string {
  return join(dataDir, "token-uses.json");
}
