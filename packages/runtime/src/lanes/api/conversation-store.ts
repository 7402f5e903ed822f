import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CaretError, Secret } from "@caret/protocol";
import { openDatabase } from "../../log/sqlite/open-database.ts";
import { createPatientStore, type PatientStore } from "../../log/sqlite/patient-store.ts";
import { openRenewableStore } from "../../log/sqlite/renewable-store.ts";
import { makePrivateDirectory, makePrivateFile } from "../../paths/private-files.ts";

export const STORE_FILE = "api-conversations.db";
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
 * Upstream's half of API conversations, which upstream leaves to its client: checkpoints, and the blobs they reference by the SHA-256 of
 * their bytes. A conversation sees only its own blobs. The data is returned exactly as upstream wrote it, so the file is private to the
 * user.
 */
export interface ConversationStore {
  /** An empty conversation, persisted with the first data that upstream saves in it. */
  create(conversationId: string): StoredConversation;
  /** An existing conversation. Its key is the same in all its turns. */
  open(conversationId: string): StoredConversation | Promise<StoredConversation>;
  /** Whether a turn could continue from here. */
  has(conversationId: string): boolean | Promise<boolean>;
  remove(conversationId: string): void | Promise<void>;
  /** Can be called more than once. */
  close(): void | Promise<void>;
}

export interface StoredConversation {
  readonly id: string;
  readonly encryptionKey: Secret;
  /** The last state that upstream wrote. */
  checkpoint(): Uint8Array | undefined;
  /** Visible here at once, and to others later. A failing disk costs the memory, not the turn. */
  saveCheckpoint(state: Uint8Array): void;
  blob(id: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  saveBlob(id: Uint8Array, data: Uint8Array): void;
  /** Resolves when everything saved is visible to other machines. Omitted: there are none. */
  settled?(): Promise<void>;
}

export interface ConversationStoreOptions {
  /** The data directory; created if missing. */
  readonly directory: string;
  readonly now?: () => number;
  readonly onError?: (error: CaretError) => void;
}

export function openConversationStore(options: ConversationStoreOptions): ConversationStore {
  const { directory, now = Date.now, onError = () => undefined } = options;
  makePrivateDirectory(directory);
  let isClosed = false;
  const renewable = openRenewableStore({
    path: join(directory, STORE_FILE),
    open: (path) => openTables(path, now),
    now,
    onDamage: (keptAs, reason) => onError(damaged(keptAs, reason)),
  });
  const store = createPatientStore(renewable, () => performance.now());
  const unsaved = new Map<string, Unsaved>();
  const shared: SharedStore = { store, unsaved, onError };

  const newKey = (): string => randomBytes(KEY_BYTES).toString("hex");
  return {
    create: (id) => conversationIn(shared, id, { key: newKey(), checkpoint: undefined, isSaved: false }),
    open(id) {
      const held = unsaved.get(id);
      const found = store.read((tables) => ({ key: tables.key(id), checkpoint: tables.checkpoint(id) }));
      const opened = ({ key, checkpoint }: Awaited<typeof found>): StoredConversation =>
        conversationIn(shared, id, {
          key: key ?? held?.key ?? newKey(),
          checkpoint: held?.checkpoint ?? checkpoint,
          isSaved: key !== undefined,
        });
      return found instanceof Promise ? found.then(opened) : opened(found);
    },
    has(id) {
      if (unsaved.get(id)?.checkpoint !== undefined) return true;
      return store.read((tables) => tables.checkpoint(id) !== undefined);
    },
    async remove(id) {
      unsaved.delete(id);
      await store.settled();
      await store.read((tables) => tables.remove(id));
    },
    async close() {
      await store.close();
      if (!isClosed) renewable.close();
      isClosed = true;
    },
  };
}

/** A conversation in use by a turn. */
function conversationIn(
  { store, unsaved, onError }: SharedStore,
  id: string,
  { key, checkpoint, isSaved }: Opened,
): StoredConversation {
  let isMade = isSaved;
  let last = checkpoint;
  const held = unsaved.get(id) ?? { key, checkpoint: undefined, blobs: new Map<string, Uint8Array>() };

  /** The first write creates the row: a turn must not wait for the disk before it has sent anything. */
  const save = (work: (tables: Tables) => void, done: () => void): void => {
    unsaved.set(id, held);
    const write = (tables: Tables): void => {
      if (!isMade) tables.make(id, key);
      work(tables);
      isMade = true;
      done();
      if (held.checkpoint === undefined && held.blobs.size === 0) unsaved.delete(id);
    };
    store.write(write, (reason) => onError(notSaved(reason)));
  };

  return {
    id,
    encryptionKey: new Secret(key),
    checkpoint: () => last,
    saveCheckpoint(state) {
      last = state;
      held.checkpoint = state;
      save(
        (tables) => {
          // Also blobs that could not be saved before: on disk, no state may reference a missing blob.
          for (const [name, data] of held.blobs) tables.saveBlob(id, Buffer.from(name, "hex"), data);
          tables.saveCheckpoint(id, state);
        },
        () => {
          if (held.checkpoint !== state) return;
          held.checkpoint = undefined;
          held.blobs.clear();
        },
      );
    },
    blob(blobId) {
      const found = held.blobs.get(nameOf(blobId));
      return found ?? (isMade ? store.read((tables) => tables.blob(id, blobId)) : undefined);
    },
    saveBlob(blobId, data) {
      held.blobs.set(nameOf(blobId), data);
      save(
        (tables) => tables.saveBlob(id, blobId, data),
        () => held.blobs.delete(nameOf(blobId)),
      );
    },
  };
}

interface Opened {
  readonly key: string;
  readonly checkpoint: Uint8Array | undefined;
  /** Its row exists. */
  readonly isSaved: boolean;
}

interface SharedStore {
  readonly store: PatientStore<Tables>;
  /** Data not yet on disk, or that failed to be written; without it an older state would count as the last. */
  readonly unsaved: Map<string, Unsaved>;
  readonly onError: (error: CaretError) => void;
}

interface Unsaved {
  readonly key: string;
  checkpoint: Uint8Array | undefined;
  readonly blobs: Map<string, Uint8Array>;
}

function nameOf(id: Uint8Array): string {
  return Buffer.from(id).toString("hex");
}

type Tables = ReturnType<typeof openTables>;

function openTables(path: string, now: () => number) {
  makePrivateFile(path);
  const database = openDatabase(path, { survives: "process", busyTimeoutMs: 0 });
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

function notSaved(cause: unknown): CaretError {
  const message = "What the upstream keeps of an API conversation could not be saved; it is held in memory";
  return new CaretError("storage-failed", message, {
    cause,
    fix: "Make room on the disk, or end what holds the file: after a restart the agent knows what was saved before.",
  });
}

function damaged(keptAs: string, cause: unknown): CaretError {
  const message = `The file of API conversations was damaged and is made again; the old one was kept as ${keptAs}`;
  return new CaretError("storage-failed", message, {
    cause,
    fix: "Nothing has to be done: the next turn of each session is given its transcript.",
  });
}
