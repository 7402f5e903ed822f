import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");

export const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** A node of the chain: references in field 1, then arbitrary bytes. */
export function node(ids: readonly string[], rest: Uint8Array = new Uint8Array()): Buffer {
  const fields = ids.map((id) => Buffer.concat([Buffer.from([0x0a, 0x20]), Buffer.from(id, "hex")]));
  return Buffer.concat([...fields, rest]);
}

export interface StoreContent {
  readonly meta?: Record<string, unknown>;
  /** Whether the description is written verbatim, as newer builds do, instead of hex-encoded. */
  readonly rawMeta?: boolean;
  readonly blobs?: readonly Uint8Array[];
}

/** A store with the CLI's layout and a write-ahead log. The caller closes it, or keeps it open as a live CLI would. */
export function writeChatStore(file: string, { meta = {}, rawMeta = false, blobs = [] }: StoreContent): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)");
  database.exec("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
  const description = rawMeta ? JSON.stringify(meta) : json(meta).toString("hex");
  database.prepare("INSERT INTO meta VALUES ('0', ?)").run(description);
  const insert = database.prepare("INSERT OR REPLACE INTO blobs VALUES (?, ?)");
  for (const blob of blobs) insert.run(sha256(blob), blob);
  return database;
}
