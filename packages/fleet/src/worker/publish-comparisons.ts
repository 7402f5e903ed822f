import { setTimeout as sleep } from "node:timers/promises";
import { CaretError, type ComparisonView } from "@caret/protocol";
import { isConnectionLoss } from "../database/database-error.ts";
import { isThereSql } from "../members/members.ts";
import type { FleetSeat } from "../seat/fleet-seat.ts";
import { isSeenDead } from "../wire/process-name.ts";
import type { SharedComparison } from "../wire/shared-comparison.ts";

/** Write interval: the candidates' answers change with every word. */
const GATHER_MS = 100;
const AWAY_MS = 250;

/** Publishes this worker's comparisons to gateways. */
export interface ComparisonPublisher {
  /** Must be called with each change. */
  readonly onChange: (view: ComparisonView, user: string | undefined) => void;
  /** Resolves when gateways can read the state known by now. */
  published(id: string): Promise<void>;
  /** Whether a living worker has the comparison. */
  readonly isKept: (id: string) => Promise<boolean>;
  /** Withdraws them all. */
  close(): Promise<void>;
}

export interface ComparisonPublisherOptions extends Pick<FleetSeat, "database" | "sealer" | "notifier" | "owner"> {
  readonly onError: (error: CaretError) => void;
}

export function createComparisonPublisher(options: ComparisonPublisherOptions): ComparisonPublisher {
  const { database, sealer, notifier, owner, onError } = options;
  const unwritten = new Map<string, SharedComparison>();
  let isClosing = false;
  const writing = new Map<string, { readonly done: Promise<void>; readonly hurry: () => void }>();

  const write = async (id: string, shared: SharedComparison): Promise<void> => {
    await database.query(
      `insert into comparisons (id, owner, view) values ($1, $2, $3)
       on conflict (id) do update set view = $3, version = comparisons.version + 1 where comparisons.owner = $2`,
      [id, owner, sealer.seal(shared)],
      "publish comparison",
    );
    notifier.hint({ kind: "comparison", id });
  };
  /** Returns whether to try again. */
  const isRefused = async (id: string, shared: SharedComparison): Promise<boolean> => {
    try {
      await write(id, shared);
      return false;
    } catch (reason) {
      onError(CaretError.from(reason));
      return isConnectionLoss(reason) && !isClosing;
    }
  };
  const writeAll = async (id: string, hurry: AbortSignal): Promise<void> => {
    for (let next = unwritten.get(id); next !== undefined; next = unwritten.get(id)) {
      unwritten.delete(id);
      if (await isRefused(id, next)) {
        // The database is away. There may be no later change, and followers wait for this one.
        if (!unwritten.has(id)) unwritten.set(id, next);
        await sleep(AWAY_MS);
      } else await sleep(GATHER_MS, undefined, { signal: hurry }).catch(() => undefined); // someone waits for what came meanwhile
    }
    writing.delete(id);
  };
  const published = async (id: string): Promise<void> => {
    const running = writing.get(id);
    running?.hurry();
    await running?.done;
  };

  return {
    onChange(view, user) {
      unwritten.set(view.id, { view, ...(user === undefined ? {} : { user }) });
      if (writing.has(view.id)) return;
      const hurry = new AbortController();
      writing.set(view.id, { done: writeAll(view.id, hurry.signal), hurry: () => hurry.abort() });
    },
    published,
    async isKept(id) {
      const { rows } = await database.query(
        `select owner from comparisons join members on members.id = owner where comparisons.id = $1 and ${isThereSql}`,
        [id],
      );
      return rows.some((row) => !isSeenDead(String(row["owner"]), owner));
    },
    async close() {
      isClosing = true;
      await Promise.all([...writing.keys()].map(published));
      await database.query("delete from comparisons where owner = $1", [owner]).catch(onError);
    },
  };
}
