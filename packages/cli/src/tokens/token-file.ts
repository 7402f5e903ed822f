import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CaretError, tokenScopes } from "@caret/protocol";
import { type TokenEntry, writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const entrySchema = z.object({
  name: z.string().min(1),
  /** In hexadecimal. The file never contains the secret itself. */
  sha256: z.string().length(64),
  /** Digest of the half that a browser keeps as its cookie. */
  cookieSha256: z.string().length(64).optional(),
  scopes: z.array(z.enum(tokenScopes)),
  user: z.string().optional(),
  team: z.string().optional(),
  seesAll: z.literal(true).optional(),
  /** The only workspace its turns can use. */
  workspace: z.string().optional(),
  madeBy: z.object({ name: z.string(), sha256: z.string() }).optional(),
  createdAt: z.number(),
  revokedAt: z.number().optional(),
});

const fileSchema = z.object({ tokens: z.array(entrySchema) });

export function tokenFilePath(dataDir: string): string {
  return join(dataDir, "tokens.json");
}

/** Empty if there is no file yet. Throws for an unreadable file: treating it as empty could undo a revocation. */
export function readTokenFile(dataDir: string): readonly TokenEntry[] {
  const file = tokenFilePath(dataDir);
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).tokens;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CaretError("storage-failed", `The tokens in ${file} cannot be read`, {
      cause: reason,
      fix: "Repair the file, or remove it and create the tokens again.",
    });
  }
}

export function writeTokenFile(dataDir: string, tokens: readonly TokenEntry[]): void {
  writePrivateFile(tokenFilePath(dataDir), `${JSON.stringify({ tokens }, undefined, 2)}\n`);
}

export function digestToken(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
