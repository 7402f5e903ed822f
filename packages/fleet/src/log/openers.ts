import type { Database, Row } from "../database/open-database.ts";

const BEAT_MS = 5_000;
/** A process that was not seen for so long has died, or cannot reach the database. */
const ALIVE_MS = 15_000;
/** Commits are announced to other processes together. */
const ANNOUNCE_MS = 50;

export interface OpenersOptions {
  readonly database: Database;
  readonly owner: string;
  readonly role: "gateway" | "worker" | "guest";
  readonly machine: string;
  readonly version: string;
}

/** The processes that have the log open: each says that it lives, and how many commits it made. */
export interface Openers {
  /** This process made a commit. */
  noteCommit(): void;
  /** How many commits the others made: another number than before when there was one. */
  foreignVersion(): Promise<number>;
  /** As it was known when this was last asked of the database: by `look`, and every few seconds. */
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
      // The database is away: what is known of others stays, and the next commit or beat says again that this process lives.
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
