import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ModelMessage } from "../model/model.ts";
import { decodeMessage, decodeMessageIds, encodeMessage, encodeRootBlob } from "./message-blob.ts";

export interface ChatOptions {
  /** `<chats>/<md5 of the workspace>`; the chat gets a directory of its own in it. */
  readonly chatsDir: string;
  readonly sessionId: string;
  readonly workspace: string;
  readonly mode: string;
  readonly modelId: string;
  readonly now: () => number;
}

/** One chat on disk. What is appended survives the death of the process. */
export interface Chat {
  /** Earlier turns, oldest first. */
  readonly history: readonly ModelMessage[];
  append(messages: readonly ModelMessage[]): void;
  close(): void;
}

interface ChatMeta {
  readonly agentId: string;
  readonly name: string;
  readonly mode: string;
  readonly createdAt: number;
  readonly lastUsedModel: string;
  readonly latestRootBlobId: string;
}

const schema = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB);
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
`;

/** Opens the chat, or starts a new one under that id: an unknown id is not an error. */
export function openChat(options: ChatOptions): Chat {
  const { sessionId, workspace, mode, modelId, now } = options;
  const directory = join(options.chatsDir, sessionId);
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, "store.db"));
  database.exec(schema);
  const readBlob = database.prepare("SELECT data FROM blobs WHERE id = ?");
  const writeBlob = database.prepare("INSERT OR IGNORE INTO blobs (id, data) VALUES (?, ?)");
  const writeMeta = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('0', ?)");

  const found = readMeta(database);
  const createdAt = found?.createdAt ?? now();
  const messageIds = [...decodeMessageIds(blobOf(readBlob.get(found?.latestRootBlobId ?? "")))];
  const history = messageIds.flatMap((id) => decodeMessage(blobOf(readBlob.get(id))) ?? []);
  let name = found?.name ?? "New Agent";

  function put(data: Buffer): string {
    const id = createHash("sha256").update(data).digest("hex");
    writeBlob.run(id, data);
    return id;
  }
  function commit(): void {
    const latestRootBlobId = put(encodeRootBlob({ messageIds, workspace }));
    const meta: ChatMeta = { agentId: sessionId, name, mode, createdAt, lastUsedModel: modelId, latestRootBlobId };
    writeMeta.run(Buffer.from(JSON.stringify(meta), "utf8").toString("hex"));
    writeMetaFile(directory, { createdAt, updatedAt: now(), hasConversation: messageIds.length > 1, workspace });
  }
  function append(messages: readonly ModelMessage[]): void {
    database.exec("BEGIN IMMEDIATE");
    for (const message of messages) {
      if (message.role === "user" && name === "New Agent") name = message.text.slice(0, 60);
      messageIds.push(put(encodeMessage(message, now(), mode)));
    }
    commit();
    database.exec("COMMIT");
  }

  if (found === undefined) append([{ role: "system", text: userInfo(workspace) }]);
  return { history, append, close: () => database.close() };
}

function userInfo(workspace: string): string {
  return `<user_info>\nOS Version: ${process.platform}\nWorkspace Path: ${workspace}\n</user_info>`;
}

function readMeta(database: DatabaseSync): ChatMeta | undefined {
  const value = database.prepare("SELECT value FROM meta WHERE key = '0'").get()?.["value"];
  if (typeof value !== "string") return undefined;
  // Newer builds may store the JSON itself instead of its hex.
  const json = value.startsWith("{") ? value : Buffer.from(value, "hex").toString("utf8");
  return JSON.parse(json) as ChatMeta;
}

function blobOf(row: Record<string, unknown> | undefined): Uint8Array {
  const data = row?.["data"];
  return data instanceof Uint8Array ? data : new Uint8Array();
}

interface MetaFile {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly hasConversation: boolean;
  readonly workspace: string;
}

function writeMetaFile(directory: string, { createdAt, updatedAt, hasConversation, workspace }: MetaFile): void {
  const path = join(directory, "meta.json");
  const meta = { schemaVersion: 1, createdAtMs: createdAt, updatedAtMs: updatedAt, hasConversation, cwd: workspace };
  // Renamed into place: a reader that lists chats never sees half a file.
  writeFileSync(`${path}.tmp`, `${JSON.stringify(meta)}\n`);
  renameSync(`${path}.tmp`, path);
}
