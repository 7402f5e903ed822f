import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { LiveBatch } from "../wire/live-share.ts";
import type { Notifier } from "../wire/notifier.ts";
import type { Sealer } from "../wire/sealer.ts";
import { whileHeld } from "./while-held.ts";

/** How long events are gathered into a batch; the first is sent at once. */
const GATHER_MS = 10;
/** Events that can wait for the database before the agent has to. */
const MAX_WAITING = 2_000;

/** `do nothing`: a retried insert may already be there. */
const insertSql = "insert into live_batches (share, number, body) values ($1, $2, $3) on conflict do nothing";

export interface LiveWriter {
  /** Returns a promise if the database is behind. */
  take(events: readonly AgentEvent[]): Promise<void> | void;
  /** Writes what was gathered, then the end. */
  end(how: TurnOutcome | "parked"): Promise<void>;
  /** Writes the end again if it is gone: a crash of the server loses all batches, and the gateway waits for it. */
  endAgain(): Promise<void>;
}

export interface LiveWriterOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly notifier: Notifier;
  readonly share: string;
  /** Aborts when the key is lost: nobody waits for the answer any longer. */
  readonly lost: AbortSignal;
}

/** Streams a stateless door's answer, unredacted, to the rows that its gateway reads. */
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
    writing.catch(() => undefined); // the next `take` or `end` rejects with it
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
