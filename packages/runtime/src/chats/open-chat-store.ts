import { copyFileSync, existsSync, mkdtempSync, rmSync, type Stats, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CaretError } from "@caret/protocol";
import { chatDamage } from "./chat-message.ts";
import { type ChatMeta, parseChatMeta } from "./chat-meta.ts";

/** How long to wait for a CLI that is writing before reading a copy instead. */
const LOCK_TIMEOUT_MS = 20;

/** One chat's store, open for reading. Writes nothing beside it, not even a lock file. */
export interface ChatStore extends Disposable {
  /** Throws `session-corrupt` if the chat's description is missing or damaged. */
  meta(): ChatMeta;
  blob(id: string): Uint8Array | undefined;
}

/** Throws `session-not-found` if there is no store, and `session-corrupt` if it cannot be read. */
export function openChatStore(file: string): ChatStore {
  const stats = statIfAny(file);
  if (stats === undefined) throw new CaretError("session-not-found", "The chat has no store");
  if (stats.size === 0) throw chatDamage("The chat's store is empty");
  const { database, release } = openInPlace(file) ?? openCopy(file);
  return {
    meta: () => parseChatMeta(metaValue(database)),
    blob: (id) => query(database, "SELECT data AS value FROM blobs WHERE id = ?", id, toBytes),
    [Symbol.dispose]: () => {
      database.close();
      release();
    },
  };
}

interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly release: () => void;
}

/**
 * SQLite's plain read-only mode creates `-wal` and `-shm` files and leaves them behind. So a store at rest is opened as immutable, and one
 * in use (both files exist) through the shared memory its writer already made.
 */
function openInPlace(file: string): OpenDatabase | undefined {
  const isAtRest = (statIfAny(`${file}-wal`)?.size ?? 0) === 0;
  if (!isAtRest && !existsSync(`${file}-shm`)) return undefined;
  const url = pathToFileURL(file);
  if (isAtRest) url.searchParams.set("immutable", "1");
  try {
    return { database: openReadable(url), release: () => undefined };
  } catch {
    // Locked, or changed meanwhile: a copy may still be readable, and reports the problem if it is not.
    return undefined;
  }
}

function openCopy(file: string): OpenDatabase {
  const directory = mkdtempSync(join(tmpdir(), "caret-chat-"));
  const release = () => rmSync(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, "store.db");
    copyFileSync(file, copy);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
    return { database: openReadable(pathToFileURL(copy)), release };
  } catch (error) {
    release();
    throw chatDamage("The chat's store is not a readable database", error);
  }
}

/** Opening alone reads nothing, so a first query runs at once. */
function openReadable(url: URL): DatabaseSync {
  const database = new DatabaseSync(url, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    database.prepare("SELECT count(*) FROM sqlite_master").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function metaValue(database: DatabaseSync): string {
  const value = query(database, "SELECT value FROM meta WHERE key = ?", "0", toText);
  if (value === undefined) throw chatDamage("The chat's store describes no chat");
  return value;
}

function query<Value>(database: DatabaseSync, sql: string, key: string, read: (value: unknown) => Value): Value {
  try {
    return read(database.prepare(sql).get(key)?.["value"]);
  } catch (error) {
    throw chatDamage("The chat's store lacks a table or is damaged", error);
  }
}

function toText(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return typeof value === "string" ? value : undefined;
}

function toBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === "string") return Buffer.from(value, "utf8");
  return value instanceof Uint8Array ? value : undefined;
}

function statIfAny(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}
