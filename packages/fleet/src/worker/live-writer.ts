import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { Notifier } from "../wire/notifier.ts";
import type { Sealer } from "../wire/sealer.ts";

/** One row of an answer on its way: events, or its end. */
export type LiveBatch =
  | { readonly events: readonly AgentEvent[] }
  /** Without an outcome the turn waits for its client. */
  | { readonly end: TurnOutcome | "parked" };

/** Batches are gathered for this long, except for the first. */
const GATHER_MS = 10;
/** So many events may wait for the database before the agent has to. */
const MAX_WAITING = 2_000;

export interface LiveWriter {
  /** A promise where the database is behind. */
  take(events: readonly AgentEvent[]): Promise<void> | void;
  /** Writes what was gathered, and the end behind it. */
  end(how: TurnOutcome | "parked"): Promise<void>;
}

export interface LiveWriterOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly notifier: Notifier;
  readonly share: string;
}

/** Writes an answer of a stateless door where the gateway that serves it reads it, as it was said. */
export function createLiveWriter({ database, sealer, notifier, share }: LiveWriterOptions): LiveWriter {
  let waiting: AgentEvent[] = [];
  let number = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = (batch: LiveBatch): Promise<void> => {
    const row = number;
    number += 1;
    writing = writing.then(async () => {
      await database.query(
        "insert into live_batches (share, number, body) values ($1, $2, $3)",
        [share, row, sealer.seal(batch)],
        "write live",
      );
      notifier.hint({ kind: "live", id: share });
    });
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
      await write({ end: how });
    },
  };
}
