import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import { LEASE_MS } from "../members/members.ts";
import { createLeaseStanding, type LeaseStanding } from "./lease-standing.ts";

/** The sessions this worker may append to. */
export interface SessionLeases {
  /** Covers everything this worker holds, including its keys. */
  readonly standing: LeaseStanding;
  /** The fence that guards each append to the session. If it is not held here, a number that no session has. */
  readonly fenceOf: (sessionId: string) => number;
  /** How long a session about to be made is held from its first row on. Undefined if it is not held here. */
  readonly newLeaseMs: (sessionId: string) => number | undefined;
  /**
   * Rejects with `session-busy` while another worker has the session. Also holds an id that no session has yet. A worker that was cut off
   * waits until it is sure of its leases.
   */
  claim(sessionId: string): Promise<void>;
  /** If `under` is given, releases it only if it is still held under that fence, not by a turn that began here meanwhile. */
  release(sessionId: string, under?: number): Promise<void>;
  /** Stops renewing it. When the lease expires, the worker that takes it over finishes what could not be done here. */
  abandon(sessionId: string, under?: number): void;
  /** Takes over the sessions of lost workers and returns their ids. They are held until released. */
  takeExpired(): Promise<readonly string[]>;
  /** Returns the sessions that another worker has taken meanwhile. */
  renew(): Promise<readonly string[]>;
  /** Drops all of them, since other workers may have them by now. Returns how many there were. */
  dropAll(): number;
}

const MANY = 50;
const NOT_HELD = -1;
/** Retry interval for a session whose owner may be lost. */
const CLAIM_MS = 250;
/** SQL condition: its lease has expired; or nobody holds it, though a turn in its log has no end and would never get one. */
export const isLostSql = `(owner is not null and lease_until < now())
  or (owner is null and sessions.id in (select session_id from logged_turns where ended_at is null))`;
const lease = `lease_until = now() + ${LEASE_MS} * interval '1 millisecond'`;

export function createSessionLeases(database: Database, owner: string): SessionLeases {
  const fences = new Map<string, number>();
  const standing = createLeaseStanding();
  return {
    standing,

    fenceOf: (sessionId) => fences.get(sessionId) ?? NOT_HELD,

    newLeaseMs: (sessionId) => (fences.has(sessionId) ? LEASE_MS : undefined),

    async claim(sessionId) {
      let seen: Holder | undefined;
      for (;;) {
        const held = await claimWhenSure(standing, () => claimSession(database, sessionId, owner));
        if (typeof held === "number") return void fences.set(sessionId, held);
        // If the owner does not renew it, it is lost, and free once the lease expires and a worker has ended its turn.
        const isRenewed = seen !== undefined && seen.owner === held.owner && seen.leaseUntil !== held.leaseUntil;
        if (isRenewed && !held.isExpired) throw isBusy(sessionId);
        seen = held;
        await sleep(CLAIM_MS);
      }
    },

    async release(sessionId, under) {
      const fence = under ?? fences.get(sessionId);
      if (fences.get(sessionId) === fence) fences.delete(sessionId);
      await database.query(
        "update sessions set owner = null, lease_until = null where id = $1 and owner = $2 and fence = $3",
        [sessionId, owner, fence ?? NOT_HELD],
        "release session",
      );
    },

    abandon(sessionId, under) {
      if (under === undefined || fences.get(sessionId) === under) fences.delete(sessionId);
    },

    async takeExpired() {
      if (!standing.isSure) return [];
      const { lapses } = standing;
      const { rows } = await database.query(
        `update sessions set fence = fence + 1, owner = $1, ${lease}
         where id in (select id from sessions where ${isLostSql} limit $2 for update skip locked) returning id, fence`,
        [owner, MANY],
      );
      if (standing.lapses !== lapses) return [];
      for (const { id, fence } of rows) fences.set(String(id), Number(fence));
      return rows.map(({ id }) => String(id));
    },

    async renew() {
      const held = new Map(fences);
      if (held.size === 0) return [];
      // One statement: a session whose row is inserted between two would be missing from both results.
      const { rows } = await database.query(
        `with renewed as (update sessions set ${lease} where id = any($1) and owner = $2)
         select id from sessions where id = any($1) and owner is distinct from $2`,
        [[...held.keys()], owner],
        "renew sessions",
      );
      // A session released and claimed again meanwhile is held, under another fence.
      const lost = rows.map(({ id }) => String(id)).filter((id) => fences.has(id) && fences.get(id) === held.get(id));
      for (const id of lost) fences.delete(id);
      return lost;
    },

    dropAll() {
      standing.lapse();
      const count = fences.size;
      fences.clear();
      return count;
    },
  };
}

/** A lease claimed before a cut and answered after it may have expired, so claim again. */
async function claimWhenSure<Claimed>(standing: LeaseStanding, claim: () => Promise<Claimed>): Promise<Claimed> {
  for (;;) {
    await standing.sure();
    const { lapses } = standing;
    const claimed = await claim();
    if (standing.lapses === lapses) return claimed;
  }
}

/** Who holds a session, and until when. */
interface Holder {
  readonly owner: string;
  readonly leaseUntil: string;
  readonly isExpired: boolean;
}

/** Returns the fence under which the session is now held, or its holder. */
async function claimSession(database: Database, sessionId: string, owner: string): Promise<number | Holder> {
  const { rows } = await database.query(
    `update sessions set fence = fence + 1, owner = $2, ${lease}
     where id = $1 and (owner is null or owner = $2) returning fence`,
    [sessionId, owner],
    "claim session",
  );
  if (rows[0] !== undefined) return Number(rows[0]["fence"]);
  const found = await database.query(
    "select owner, lease_until::text as until, lease_until < now() as expired from sessions where id = $1",
    [sessionId],
  );
  const [row] = found.rows;
  // The fence that a new session's row has.
  if (row === undefined) return 0;
  return { owner: String(row["owner"]), leaseUntil: String(row["until"]), isExpired: row["expired"] === true };
}

function isBusy(sessionId: string): CaretError {
  return new CaretError("session-busy", `Another worker has the session ${sessionId}`);
}
