import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CaretError, Secret } from "@caret/protocol";
import { openDatabase } from "../../log/sqlite/open-database.ts";
import { openRenewableStore } from "../../log/sqlite/renewable-store.ts";
import { makePrivateDirectory, makePrivateFile } from "../../paths/private-files.ts";

const STORE_FILE = "api-conversations.db";
const BUSY_MS = 2_000;
const KEY_BYTES = 32;

const tables = `
  create table if not exists conversation (
    id text primary key,
    encryption_key text not null,
    checkpoint blob,
    at integer not null
  ) without rowid;
  create table if not exists blob (
    conversation text not null references conversation (id) on delete cascade,
    id blob not null,
    data blob not null,
    primary key (conversation, id)
  ) without rowid;
`;

/**
 * All implementations run `describeConversationStore`.
 *
 * The upstream's half of API conversations, which the upstream leaves to its client: checkpoints, and the blobs that they
 * name by the SHA-256 of their bytes. A conversation sees its own blobs only. What is kept is what the upstream wrote,
 * unaltered, since it is handed back: the file is private to the user.
 */
export interface ConversationStore {
  /** A conversation that nobody has heard of; it is on disk from the first that the upstream saves in it. */
  create(conversationId: string): StoredConversation;
  /** One that was made before. Its key is the same in all its turns. */
  open(conversationId: string): StoredConversation | Promise<StoredConversation>;
  /** Whether a turn could go on from here. */
  has(conversationId: string): boolean | Promise<boolean>;
  remove(conversationId: string): void | Promise<void>;
  /** May be called more than once. */
  close(): void | Promise<void>;
}

export interface StoredConversation {
  readonly id: string;
  readonly encryptionKey: Secret;
  /** The last state that the upstream wrote. */
  checkpoint(): Uint8Array | undefined;
  saveCheckpoint(state: Uint8Array): void;
  blob(id: Uint8Array): Uint8Array | undefined;
  saveBlob(id: Uint8Array, data: Uint8Array): void;
  /** What was saved is where others find it. Absent: it is as soon as it was saved. */
  settled?(): Promise<void>;
}

export interface ConversationStoreOptions {
  /** The data directory; made when missing. */
  readonly directory: string;
  readonly now?: () => number;
  readonly onError?: (error: CaretError) => void;
}

export function openConversationStore(options: ConversationStoreOptions): ConversationStore {
  const { directory, now = Date.now, onError = () => undefined } = options;
  makePrivateDirectory(directory);
  let isClosed = false;
  const { use, close } = openRenewableStore({
    path: join(directory, STORE_FILE),
    open: (path) => openTables(path, now),
    now,
    onDamage: (keptAs, reason) => onError(damaged(keptAs, reason)),
  });
  const conversation = (id: string, key: string, isSaved: boolean): StoredConversation => {
    let isMade = isSaved;
    /** The row is made by the first write: a turn must not wait for the disk before it has sent anything. */
    const save = (work: (store: Tables) => void): void =>
      use((store) => {
        if (!isMade) store.make(id, key);
        isMade = true;
        work(store);
      });
    return {
      id,
      encryptionKey: new Secret(key),
      checkpoint: () => (isMade ? use((store) => store.checkpoint(id)) : undefined),
      saveCheckpoint: (state) => save((store) => store.saveCheckpoint(id, state)),
      blob: (blobId) => (isMade ? use((store) => store.blob(id, blobId)) : undefined),
      saveBlob: (blobId, data) => save((store) => store.saveBlob(id, blobId, data)),
    };
  };
  const newKey = (): string => randomBytes(KEY_BYTES).toString("hex");
  return {
    create: (id) => conversation(id, newKey(), false),
    open(id) {
      const key = use((store) => store.key(id));
      return conversation(id, key ?? newKey(), key !== undefined);
    },
    has: (id) => use((store) => store.checkpoint(id)) !== undefined,
    remove: (id) => use((store) => store.remove(id)),
    close() {
      if (!isClosed) close();
      isClosed = true;
    },
  };
}

type Tables = ReturnType<typeof openTables>;

function openTables(path: string, now: () => number) {
  makePrivateFile(path);
  const database = openDatabase(path, { survives: "process", busyTimeoutMs: BUSY_MS });
  try {
    database.exec(tables);
    return tablesOf(database, now);
  } catch (reason) {
    database.close();
    throw reason;
  }
}

function tablesOf(database: DatabaseSync, now: () => number) {
  const make = database.prepare("insert or ignore into conversation values (?, ?, null, ?)");
  const keyOf = database.prepare("select encryption_key as value from conversation where id = ?");
  const checkpointOf = database.prepare("select checkpoint as value from conversation where id = ?");
  const save = database.prepare("update conversation set checkpoint = ?, at = ? where id = ?");
  const blobOf = database.prepare("select data as value from blob where conversation = ? and id = ?");
  const saveBlob = database.prepare("insert or ignore into blob values (?, ?, ?)");
  const remove = database.prepare("delete from conversation where id = ?");
  return {
    make: (id: string, key: string) => void make.run(id, key, now()),
    key(id: string): string | undefined {
      const row = keyOf.get(id);
      return row === undefined ? undefined : String(row["value"]);
    },
    checkpoint: (id: string) => bytesIn(checkpointOf.get(id)),
    saveCheckpoint: (id: string, state: Uint8Array) => void save.run(state, now(), id),
    blob: (id: string, blobId: Uint8Array) => bytesIn(blobOf.get(id, blobId)),
    saveBlob: (id: string, blobId: Uint8Array, data: Uint8Array) => void saveBlob.run(id, blobId, data),
    remove: (id: string) => void remove.run(id),
    close: () => database.close(),
  };
}

function bytesIn(row: Readonly<Record<string, unknown>> | undefined): Uint8Array | undefined {
  const value = row?.["value"];
  return value instanceof Uint8Array ? value : undefined;
}

function damaged(keptAs: string, cause: unknown): CaretError {
  const message = `The file of API conversations was damaged and is made again; the old one was kept as ${keptAs}`;
  return new CaretError("storage-failed", message, {
    cause,
    fix: "Nothing has to be done: the next turn of each session is given its transcript.",
  });
}
