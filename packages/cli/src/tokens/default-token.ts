import { existsSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@caret/runtime";
import { createToken } from "./change-tokens.ts";
import { readTokenFile } from "./token-file.ts";

const DEFAULT_NAME = "default";

/** Where tools of the same user find the token of this machine's gateway. */
function defaultTokenPath(dataDir: string): string {
  return join(dataDir, "token");
}

/**
 * On first start, creates a token and writes its secret where the user's own tools can find it. Once a token has existed, even a revoked
 * one, none is created again.
 */
export async function ensureDefaultToken(dataDir: string): Promise<string | undefined> {
  const file = defaultTokenPath(dataDir);
  if (!readTokenFile(dataDir).some(({ name }) => name === DEFAULT_NAME)) {
    const { secret } = await createToken(dataDir, { name: DEFAULT_NAME, scopes: ["admin"] });
    writePrivateFile(file, `${secret.reveal()}\n`);
  }
  return existsSync(file) ? file : undefined;
}
