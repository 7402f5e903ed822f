import type { Database, Row } from "../database/open-database.ts";

const BEAT_MS = 5_000;
/** A process not seen for this long has died or cannot reach the database. */
const ALIVE_MS = 15_000;
/** Delay before commits are announced to other processes, in one batch. */
const ANNOUNCE_MS = 50;

export interface OpenersOptions {
  readonly database: Database;
  readonly owner: string;
  readonly role: "gateway" | "worker" | "guest";
  readonly machine: string;
  readonly version: string;
}

/** Registry of the processes that have the log open: each shows that it lives and how many commits it made. */
export interface Openers {
  /** Records a commit of this process. */
  noteCommit(): void;
  /** Changes whenever another process commits. */
  foreignVersion(): Promise<number>;
  /** As of the last read from the database: by `look`, and every few seconds. */
  isAlive(owner: string): boolean;
  look(): Promise<void>;
  leave(): Promise<void>;
}

export async function enterOpeners({ database, owner, role, machine, version }: OpenersOptions): Promise<Openers> {
  let commits = 0;
  let isLeft = false;
  let timer: NodeJS.Timeout | undefined;
  let alive: ReadonlySet<string> = new Set();

  const isAliveSql = `seen_at > now() - ${ALIVE_MS} * interval '1 millisecond'`;
  const know = (rows: readonly Row[]): void => {
    alive = new Set(rows.map((row) => String(row["owner"])));
  };
  const look = async (): Promise<void> =>
    know((await database.query(`select owner from openers where ${isAliveSql}`, [], "openers-alive")).rows);
  const beat = async (): Promise<void> => {
    const announced = commits;
    commits = 0;
    const { rows } = await database.query(
      `with beat as (
         insert into openers (owner, role, machine, version, commits) values ($1, $2, $3, $4, $5)
         on conflict (owner) do update set commits = openers.commits + excluded.commits, seen_at = now()
       ) select owner from openers where ${isAliveSql}`,
      [owner, role, machine, version, announced],
      "openers-beat",
    );
    know(rows);
  };
  const announce = (afterMs: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // The database is away: keep what is known of the others; the next commit or beat shows again that this process lives.
      void beat().catch(() => undefined);
    }, afterMs).unref();
  };
  await database.query("delete from openers where seen_at < now() - interval '1 hour'");
  await beat();
  const beating = setInterval(() => announce(0), BEAT_MS).unref();
  return {
    noteCommit() {
      commits += 1;
      if (!isLeft) announce(ANNOUNCE_MS);
    },
    async foreignVersion() {
      const sql = "select coalesce(sum(commits), 0) + count(*) as version from openers where owner <> $1";
      const { rows } = await database.query(sql, [owner], "openers-version");
      return Number(rows[0]?.["version"]);
    },
    isAlive: (asked) => asked === owner || alive.has(asked),
    look,
    async leave() {
      isLeft = true;
      clearInterval(beating);
      clearTimeout(timer);
      await database.query("delete from openers where owner = $1", [owner]);
    },
  };
}
