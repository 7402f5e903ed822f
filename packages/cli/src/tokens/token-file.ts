import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CaretError, tokenScopes } from "@caret/protocol";
import { z } from "zod";

const entrySchema = z.object({
  name: z.string().min(1),
  /** In hexadecimal. The secret itself is nowhere in the file. */
  sha256: z.string().length(64),
  /** Of the half that a browser keeps as its cookie. */
  cookieSha256: z.string().length(64).optional(),
  scopes: z.array(z.enum(tokenScopes)),
  /** The only workspace its turns may work in. */
  workspace: z.string().optional(),
  createdAt: z.number(),
  revokedAt: z.number().optional(),
});

const fileSchema = z.object({ tokens: z.array(entrySchema) });

export type TokenEntry = Readonly<z.infer<typeof entrySchema>>;

export function tokenFilePath(dataDir: string): string {
  return join(dataDir, "tokens.json");
}

/** Empty when there is no file yet. A file that cannot be understood is never taken for one without revocations. */
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

/** Written to a temporary file and renamed, so that readers never see half of it; mode 0600. */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (reason) {
    rmSync(draft, { force: true });
    throw reason;
  }
}
