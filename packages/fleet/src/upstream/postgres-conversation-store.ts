import { randomBytes } from "node:crypto";
import { CaretError, Secret } from "@caret/protocol";
import type { ConversationStore, StoredConversation } from "@caret/runtime/lanes/api/conversation-store.ts";
import type { Database } from "../database/open-database.ts";
import { createOrderedWork } from "../log/ordered-work.ts";
import { createPatience } from "../log/patience.ts";

const KEY_BYTES = 32;

export interface PostgresConversationStoreOptions {
  /** Must be migrated. The store does not close it. */
  readonly database: Database;
  readonly now?: () => number;
  /** Called when a save fails: the conversation's next turn may be given its transcript instead. */
  readonly onError?: (error: CaretError) => void;
}

/** Kept in memory during a turn, to answer the upstream's requests in the read they came with. */
interface Held {
  readonly key: string;
  checkpoint: Uint8Array | undefined;
  readonly blobs: Map<string, Uint8Array>;
}

/**
 * Keeps the upstream's half of API conversations in the database, so any worker can go on with them. A turn holds its conversation in
 * memory and writes behind it, in order: blobs before the checkpoint that names them.
 */
export function createPostgresConversationStore(options: PostgresConversationStoreOptions): ConversationStore {
  const { database, now = Date.now, onError = () => undefined } = options;
  const ordered = createOrderedWork();
  const patience = createPatience();

  const write = (id: string, key: string, sql: string, values: readonly unknown[]): void => {
    const save = async (): Promise<void> => {
      await database.query(makeSql, [id, key, now()], "api-make");
      await database.query(sql, values);
    };
    // Safe to retry: repeating either statement changes nothing.
    const saved = ordered.run([id], () => patience.retry(save));
    void saved.catch((reason: unknown) => onError(CaretError.from(reason)));
  };

  const conversation = (id: string, held: Held): StoredConversation => ({
    id,
    encryptionKey: new Secret(held.key),
    checkpoint: () => held.checkpoint,
    saveCheckpoint(state) {
      held.checkpoint = state;
      write(id, held.key, checkpointSql, [Buffer.from(state), now(), id]);
    },
    blob: (blobId) => held.blobs.get(nameOf(blobId)),
    saveBlob(blobId, data) {
      held.blobs.set(nameOf(blobId), data);
      write(id, held.key, blobSql, [id, Buffer.from(blobId), Buffer.from(data)]);
    },
    settled: () => ordered.run([id], async () => undefined),
  });

  const load = async (id: string): Promise<Held> => {
    const { rows } = await database.query("select encryption_key, checkpoint from api_conversations where id = $1", [
      id,
    ]);
    const [row] = rows;
    if (row === undefined) return newlyHeld();
    const blobs = (await database.query("select id, data from api_blobs where conversation = $1", [id])).rows;
    return {
      key: String(row["encryption_key"]),
      checkpoint: bytesIn(row["checkpoint"]),
      blobs: new Map(blobs.map((blob) => [nameOf(bytesIn(blob["id"])), bytesIn(blob["data"]) ?? new Uint8Array()])),
    };
  };

  return {
    create: (id) => conversation(id, newlyHeld()),
    open: (id) => ordered.run([id], async () => conversation(id, await patience.retry(() => load(id)))),
    has: (id) =>
      ordered.run([id], async () => {
        const sql = "select 1 from api_conversations where id = $1 and checkpoint is not null";
        return (await patience.retry(() => database.query(sql, [id]))).count === 1;
      }),
    remove: (id) =>
      ordered.run([id], async () => {
        await patience.retry(() => database.query("delete from api_conversations where id = $1", [id]));
      }),
    close: () => ordered.settled(),
  };
}

const makeSql = "insert into api_conversations values ($1, $2, null, $3) on conflict (id) do nothing";
const checkpointSql = "update api_conversations set checkpoint = $1, at = $2 where id = $3";
const blobSql = "insert into api_blobs values ($1, $2, $3) on conflict (conversation, id) do nothing";

function newlyHeld(): Held {
  return { key: randomBytes(KEY_BYTES).toString("hex"), checkpoint: undefined, blobs: new Map() };
}

function bytesIn(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

function nameOf(id: Uint8Array | undefined): string {
  return Buffer.from(id ?? []).toString("hex");
}
