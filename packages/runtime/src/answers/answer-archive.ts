import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { openDatabase } from "../log/sqlite/open-database.ts";
import { openRenewableStore } from "../log/sqlite/renewable-store.ts";
import { makePrivateDirectory, makePrivateFile } from "../paths/private-files.ts";

export const ARCHIVE_FILE = "answers.db";
const DAY_MS = 24 * 60 * 60 * 1000;
/** As long as OpenAI keeps a response. */
export const KEPT_DAYS = 30;
const MAX_CHARACTERS = 256 * 1024 * 1024;
/** Short time-outs for disk and locks: losing an answer only costs its client one full request. */
const BUSY_MS = 50;

const tables = `
  create table if not exists answer (
    key integer primary key,
    owner text not null,
    id text not null,
    session_id text not null,
    at integer not null,
    characters integer not null,
    body text not null,
    unique (owner, id)
  );
  create index if not exists answer_session on answer (session_id);
  create table if not exists item (
    owner text not null,
    id text not null,
    answer integer not null references answer (key) on delete cascade,
    primary key (owner, id)
  );
  create index if not exists item_answer on item (answer);
`;

/** An answer that its client may refer to by its id or by an item's id. */
export interface ArchivedAnswer {
  readonly id: string;
  readonly itemIds: readonly string[];
  /** The session it belongs to: deleted together with it. */
  readonly sessionId: string;
  readonly body: string;
}

/**
 * Stored answers, each visible only to its owner, for at most a month. All implementations run `describeAnswerArchive`. Never rejects: an
 * answer that could not be stored or found counts as expired, and the reason is reported.
 */
export interface AnswerArchive {
  put(owner: string, answer: ArchivedAnswer): Promise<void>;
  /** The body of an answer, by its own id or an item's. */
  find(owner: string, by: { readonly id: string } | { readonly itemId: string }): Promise<string | undefined>;
  removeSession(sessionId: string): Promise<void>;
  close(): void;
}

export interface AnswerArchiveOptions {
  /** The data directory; created if missing. */
  readonly directory: string;
  readonly now?: () => number;
  readonly maxCharacters?: number;
  readonly onError?: (error: CaretError) => void;
}

export function openAnswerArchive(options: AnswerArchiveOptions): AnswerArchive {
  const { directory, now = Date.now, maxCharacters = MAX_CHARACTERS, onError = () => undefined } = options;
  makePrivateDirectory(directory);
  const { use, close } = openRenewableStore({
    path: join(directory, ARCHIVE_FILE),
    open: (path) => openTables(path, now, maxCharacters),
    now,
    onDamage: (keptAs, reason) => onError(damaged(keptAs, reason)),
  });
  function attempt<Result>(work: (store: Tables) => Result): Result | undefined {
    try {
      return use(work);
    } catch (reason) {
      onError(new CaretError("storage-failed", "An answer could not be kept or looked up", { cause: reason }));
      return undefined;
    }
  }
  return {
    put: async (owner, answer) => void attempt((store) => store.put(owner, answer)),
    find: async (owner, by) => attempt((store) => store.find(owner, by)),
    removeSession: async (sessionId) => void attempt((store) => store.removeSession(sessionId)),
    close,
  };
}

type Tables = ReturnType<typeof openTables>;

function openTables(path: string, now: () => number, maxCharacters: number) {
  makePrivateFile(path);
  const database = openDatabase(path, { survives: "process", busyTimeoutMs: BUSY_MS });
  try {
    database.exec(tables);
    database.prepare("delete from answer where at < ?").run(now() - KEPT_DAYS * DAY_MS);
    return tablesOf(database, now, maxCharacters);
  } catch (reason) {
    database.close();
    throw reason;
  }
}

function tablesOf(database: DatabaseSync, now: () => number, maxCharacters: number) {
  const save = database.prepare(
    "insert or replace into answer (owner, id, session_id, at, characters, body) values (?, ?, ?, ?, ?, ?)",
  );
  const saveItem = database.prepare("insert or replace into item values (?, ?, ?)");
  const findAnswer = database.prepare("select body from answer where owner = ? and id = ?");
  const findByItem = database.prepare(
    "select body from answer where key = (select answer from item where owner = ? and id = ?)",
  );
  const sum = database.prepare("select coalesce(sum(characters), 0) as total from answer");
  const removeOldest = database.prepare("delete from answer where key = (select min(key) from answer)");
  const removeOfSession = database.prepare("delete from answer where session_id = ?");
  const total = (): number => Number(sum.get()?.["total"]);
  let characters = total();

  function makeRoom(): void {
    if (characters <= maxCharacters) return;
    // Another process may have deleted some.
    for (characters = total(); characters > maxCharacters; characters = total()) removeOldest.run();
  }

  return {
    put(owner: string, { id, itemIds, sessionId, body }: ArchivedAnswer): void {
      if (body.length > maxCharacters) return;
      const { lastInsertRowid } = save.run(owner, id, sessionId, now(), body.length, body);
      for (const itemId of itemIds) saveItem.run(owner, itemId, lastInsertRowid);
      characters += body.length;
      makeRoom();
    },
    find(owner: string, by: Parameters<AnswerArchive["find"]>[1]): string | undefined {
      const row = "id" in by ? findAnswer.get(owner, by.id) : findByItem.get(owner, by.itemId);
      return row === undefined ? undefined : String(row["body"]);
    },
    removeSession: (sessionId: string) => void removeOfSession.run(sessionId),
    close: () => database.close(),
  };
}

function damaged(keptAs: string, cause: unknown): CaretError {
  const message = `The file of kept answers was damaged and is made again; the old one was kept as ${keptAs}`;
  return new CaretError("storage-failed", message, {
    cause,
    fix: "Nothing has to be done: a client whose previous_response_id is not known any more sends its whole input.",
  });
}
