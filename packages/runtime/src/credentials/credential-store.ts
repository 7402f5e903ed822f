import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CaretError, type Secret } from "@caret/protocol";
import { z } from "zod";
import { fileStamp, makePrivateDirectory, writePrivateFile } from "../paths/private-files.ts";
import { withFileLock } from "../paths/with-file-lock.ts";

const FILE = "credentials.json";
/** Longer than an exchange can take, which other processes perform under the lock. */
const LOCK_PATIENCE_MS = 60_000;

const loginSchema = z.object({
  /** The server it belongs to: a key is valid only where it was made. */
  origin: z.string(),
  /** `key`: an API key created for Caret. `session`: the refresh token of the browser's login. */
  kind: z.enum(["key", "session"]),
  secret: z.string().min(1),
  /** The key's number on the server, needed to revoke it. */
  keyId: z.number().int().optional(),
  keyName: z.string().optional(),
  expiresAt: z.number().optional(),
  email: z.string().optional(),
  createdAt: z.number(),
});

const tokenSchema = z.object({ accessToken: z.string().min(1), refreshAt: z.number(), expiresAt: z.number() });

const fileSchema = z.object({
  version: z.literal(1),
  login: loginSchema.optional(),
  /** By digest of the key they were exchanged for. */
  tokens: z.record(z.string(), tokenSchema),
});

export type StoredLogin = Readonly<z.infer<typeof loginSchema>>;
export type StoredToken = Readonly<z.infer<typeof tokenSchema>>;
export type StoredCredentials = Readonly<z.infer<typeof fileSchema>>;

const nothing: StoredCredentials = { version: 1, tokens: {} };

/**
 * Caret's stored credentials: the login made by `caret login`, and access tokens, which live for about an hour and are shared by all
 * processes of this data directory. One file, readable by its owner only, written atomically.
 */
export interface CredentialStore {
  readonly file: string;
  /** Changes with every change of the file. */
  stamp(): string;
  /** Throws `storage-failed` if the file is damaged. */
  read(): StoredCredentials;
  /** `change` can be slow: other processes wait. Nothing is written if it returns its argument. */
  update(
    change: (current: StoredCredentials) => StoredCredentials | Promise<StoredCredentials>,
  ): Promise<StoredCredentials>;
  clear(): Promise<void>;
}

export function openCredentialStore(dataDir: string): CredentialStore {
  const file = join(dataDir, FILE);
  const locked = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    makePrivateDirectory(dataDir);
    return await withFileLock(file, work, { patienceMs: LOCK_PATIENCE_MS });
  };
  return {
    file,
    stamp: () => fileStamp(file),
    read: () => readCredentials(file),
    update: (change) =>
      locked(async () => {
        const current = readCredentials(file);
        const changed = await change(current);
        if (changed !== current) writePrivateFile(file, `${JSON.stringify(changed, undefined, 2)}\n`);
        return changed;
      }),
    clear: () => locked(() => rmSync(file, { force: true })),
  };
}

/** Key under which an access token is stored. It does not reveal the API key, which is random and long. */
export function tokenDigest(origin: string, key: Secret): string {
  return createHash("sha256").update(`${origin}\0${key.reveal()}`).digest("hex");
}

function readCredentials(file: string): StoredCredentials {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return nothing;
    // Without the cause: a parser's error quotes the text, which holds secrets.
    throw new CaretError("storage-failed", `The credentials in ${file} cannot be read`, {
      fix: "Run `caret logout`, which removes the file, then `caret login`.",
    });
  }
}
