import type { Database } from "../database/open-database.ts";

/** A worker that has not renewed its leases for this long counts as lost. */
export const LEASE_MS = 12_000;

/** What a worker tells gateways and the page about itself. */
export interface WorkerAbout {
  readonly lanes: readonly string[];
  readonly defaultLane: string;
  readonly capacity: number;
  readonly atWork: number;
  readonly models: readonly unknown[];
  readonly workspaces: readonly string[];
  /** Takes commands for any worker of its machine. Workers of earlier versions do not. */
  readonly takesShared: boolean;
  /** Runs the named agents of its machine. */
  readonly takesAgents: boolean;
}

export interface Member {
  readonly id: string;
  readonly role: "gateway" | "worker";
  readonly machine: string;
  readonly version: string;
  readonly about: Partial<WorkerAbout>;
  readonly isLeaving: boolean;
  /** Seen within the duration of a lease. */
  readonly isThere: boolean;
  /** Milliseconds since the epoch, by the database's clock. */
  readonly seenAt: number;
}

/** The gateways and workers of a fleet. */
export interface Members {
  /** Records that this process is present. Returns the other members that are. */
  note(member: Omit<Member, "isThere" | "seenAt">): Promise<readonly string[]>;
  /** Members seen within the last hour. */
  list(): Promise<readonly Member[]>;
  isThere(id: string): Promise<boolean>;
  /** Whether a worker of the machine is present and not leaving. */
  hasWorker(machine: string): Promise<boolean>;
  leave(id: string): Promise<void>;
}

/** SQL condition: the member was seen within the duration of a lease. */
export const isThereSql = `seen_at > now() - ${LEASE_MS} * interval '1 millisecond'`;

export function createMembers(database: Database): Members {
  return {
    async note({ id, role, machine, version, about, isLeaving }) {
      const { rows } = await database.query(
        `with noted as (
           insert into members (id, role, machine, version, about, is_leaving) values ($1, $2, $3, $4, $5, $6)
           on conflict (id) do update set about = $5, is_leaving = $6, seen_at = now()
         ) select id from members where id <> $1 and ${isThereSql}`,
        [id, role, machine, version, JSON.stringify(about), isLeaving],
        "note member",
      );
      return rows.map((row) => String(row["id"]));
    },
    async list() {
      const { rows } = await database.query(
        `select id, role, machine, version, about, is_leaving, ${isThereSql} as is_there,
           floor(extract(epoch from seen_at) * 1000)::bigint as seen from members
         where seen_at > now() - interval '1 hour' order by machine, started_at`,
      );
      return rows.map((row) => ({
        id: String(row["id"]),
        role: row["role"] as Member["role"],
        machine: String(row["machine"]),
        version: String(row["version"]),
        about: row["about"] as Partial<WorkerAbout>,
        isLeaving: row["is_leaving"] === true,
        isThere: row["is_there"] === true,
        seenAt: Number(row["seen"]),
      }));
    },
    isThere: async (id) =>
      (await database.query(`select 1 from members where id = $1 and ${isThereSql}`, [id])).count > 0,
    hasWorker: async (machine) =>
      (
        await database.query(
          `select 1 from members where role = 'worker' and machine = $1 and not is_leaving and ${isThereSql} limit 1`,
          [machine],
        )
      ).count > 0,
    async leave(id) {
      await database.query("delete from members where id = $1", [id]);
    },
  };
}
