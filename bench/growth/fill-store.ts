import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { BenchSetting } from "../doors/bench-setting.ts";
import { uniquePrompt } from "../doors/chat-request.ts";
import { loadDoor } from "../doors/load-door.ts";
import { serveCaret } from "../doors/serve-door.ts";

export interface StoreSize {
  readonly sessions: number;
  /** At least so many; whole turns. */
  readonly eventsEach: number;
}

/** What a column of a copied row holds, as SQL over the template's row; every other column is copied. */
type Copied = Readonly<Record<string, string>>;

/** The number of the copy, written so that copies are inserted in the order of their primary key. */
const COPY_ID = "printf('%08x-0000-4000-8000-000000000000', copy.number)";

/**
 * A data directory with many sessions: Caret makes the store and runs one turn in it, and SQL copies that turn. Raw lines
 * are left out of the copies, to keep ten million events within a few gigabytes. Gives how many events there are.
 */
export async function fillStore(setting: BenchSetting, directory: string, size: StoreSize): Promise<number> {
  await makeTemplate(setting, directory);
  const events = inDatabase(join(directory, "caret.db"), (database) => copySessions(database, size));
  inDatabase(join(directory, "lineage.db"), (database) => copyLineage(database, size));
  return events;
}

async function makeTemplate(setting: BenchSetting, dataDirectory: string): Promise<void> {
  const door = await serveCaret({ ...setting, dataDirectory, keepWarm: false });
  try {
    const dialogues = [[{ role: "user", content: uniquePrompt("deltas=10 pace=5") } as const]];
    const { answers } = await loadDoor(setting, door, { dialogues, order: "spread", ms: 0, deltas: 10 });
    if (answers[0]?.isWhole !== true) throw new Error("The turn that is to be copied failed");
  } finally {
    await door.stop();
  }
}

function inDatabase<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  statSync(path); // a name that is wrong must not make a database
  const database = new DatabaseSync(path);
  try {
    // Nobody else has it open, and a machine that fails costs only the benchmark. Caret sets both again.
    database.exec("pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off");
    database.exec("pragma cache_size = -262144; begin");
    const result = work(database);
    database.exec("commit");
    return result;
  } finally {
    database.close();
  }
}

function copySessions(database: DatabaseSync, { sessions, eventsEach }: StoreSize): number {
  const perTurn = Number(database.prepare("select count(*) as count from event").get()?.["count"]);
  const turns = Math.ceil(eventsEach / perTurn);
  countTo(database, "copy", sessions);
  countTo(database, "turn_copy", turns);
  const ofTurn = { session_id: COPY_ID, turn_id: "row.turn_id || '-' || turn_copy.number" };
  const shifted = (column: string): string => `row.${column} + (turn_copy.number - 1) * ${perTurn}`;
  copyRows(database, "session", ["copy"], {
    id: COPY_ID,
    // Older than all that is measured, each at a time of its own.
    updated_at: "row.updated_at - copy.number * 1000",
    last_seq: String(turns * perTurn),
    // Nothing is left to index, which would cost the turns that are measured.
    said_seq: String(turns * perTurn),
    last_turn: `row.last_turn || '-' || ${turns}`,
    title: "'Copied session ' || copy.number",
  });
  copyRows(database, "event", ["copy", "turn_copy"], { ...ofTurn, seq: shifted("seq"), raw: "null" });
  copyRows(database, "turn", ["copy", "turn_copy"], { ...ofTurn, first_seq: shifted("first_seq") });
  copyRows(database, "turn_usage", ["copy", "turn_copy"], ofTurn);
  return sessions * turns * perTurn;
}

function copyLineage(database: DatabaseSync, { sessions }: StoreSize): void {
  countTo(database, "copy", sessions);
  const hash = "printf('%064x', copy.number)";
  copyRows(database, "transcript", ["copy"], { hash, session_id: COPY_ID });
  copyRows(database, "newest", ["copy"], { hash, session_id: COPY_ID });
}

function countTo(database: DatabaseSync, table: string, count: number): void {
  database.exec(`
    create temp table ${table} as
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
    select number from numbers
  `);
}

/** Add every row of a table again for each of the counters' rows. */
function copyRows(database: DatabaseSync, table: string, counters: readonly string[], copied: Copied): void {
  const rows = database.prepare(`pragma table_info(${table})`).all();
  const columns = rows.map((row) => String(row["name"]));
  const values = columns.map((column) => copied[column] ?? `row.${column}`);
  // A cross join keeps the order of its tables, and a copy of the template is not read while it is added to.
  database.exec(`
    create temp table template as select * from ${table};
    insert into main.${table} (${columns.join(", ")})
    select ${values.join(", ")} from ${counters.join(" cross join ")} cross join template as row;
    drop table template;
  `);
}
