import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { LiveBatch } from "../wire/live-share.ts";
import type { Notifier } from "../wire/notifier.ts";
import type { Sealer } from "../wire/sealer.ts";
import { whileHeld } from "./while-held.ts";

/** Batches are gathered for this long, except for the first. */
const GATHER_MS = 10;
/** So many events may wait for the database before the agent has to. */
const MAX_WAITING = 2_000;

/** One that is tried again may be there already. */
const insertSql = "insert into live_batches (share, number, body) values ($1, $2, $3) on conflict do nothing";

export interface LiveWriter {
  /** A promise where the database is behind. */
  take(events: readonly AgentEvent[]): Promise<void> | void;
  /** Writes what was gathered, and the end behind it. */
  end(how: TurnOutcome | "parked"): Promise<void>;
  /** Writes the end once more where it is gone: after a crash of the server no batch is left, and the gateway waits for it. */
  endAgain(): Promise<void>;
}

export interface LiveWriterOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly notifier: Notifier;
  readonly share: string;
  /** Aborted: the key was lost, and nobody waits for the answer any more. */
  readonly lost: AbortSignal;
}

/** Writes an answer of a stateless door where the gateway that serves it reads it, as it was said. */
export function createLiveWriter({ database, sealer, notifier, share, lost }: LiveWriterOptions): LiveWriter {
  let waiting: AgentEvent[] = [];
  let number = 0;
  let last: LiveBatch | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const insert = async (row: number, batch: LiveBatch): Promise<void> => {
    const values = [share, row, sealer.seal(batch)];
    await whileHeld(() => database.query(insertSql, values, "write live"), lost);
    notifier.hint({ kind: "live", id: share });
  };
  const write = (batch: LiveBatch): Promise<void> => {
    const row = number;
    number += 1;
    writing = writing.then(() => insert(row, batch));
    writing.catch(() => undefined); // the next `take` or the end rejects with it
    return writing;
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const events = waiting;
    waiting = [];
    return events.length === 0 ? writing : write({ events });
  };

  return {
    take(events) {
      waiting.push(...events);
      if (number === 0) return void flush();
      timer ??= setTimeout(flush, GATHER_MS);
      return waiting.length > MAX_WAITING ? flush() : undefined;
    },
    async end(how) {
      await flush();
      last = { end: how };
      await write(last);
    },
    async endAgain() {
      if (last !== undefined) await insert(number - 1, last);
    },
  };
}
