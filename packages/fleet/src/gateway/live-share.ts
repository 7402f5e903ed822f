import { type AgentEvent, CaretError, type Take, type TurnOutcome, type TurnShare } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { HintListener } from "../wire/hint-listener.ts";
import type { Sealer } from "../wire/sealer.ts";
import { untilFound } from "../wire/until-found.ts";
import type { LiveBatch } from "../worker/live-writer.ts";
import type { ShareView } from "../worker/run-conversation-turn.ts";

const PAGE = 64;

export interface LiveShareOptions {
  readonly database: Database;
  readonly listener: HintListener;
  readonly sealer: Sealer;
  /** The id of the request. */
  readonly id: string;
  readonly view: ShareView;
  /** Sends it to the worker, if that is still there. */
  readonly notifyWorker: (name: "leaveShare" | "cutShare" | "stopShare", word: string) => void;
}

/** A share in a turn that a worker runs, read from the rows that it writes. */
export function createLiveShare(options: LiveShareOptions): TurnShare {
  const { view, notifyWorker } = options;
  const outcome = Promise.withResolvers<TurnOutcome>();
  return {
    ...view,
    outcome: outcome.promise,
    cut: (reason) => notifyWorker("cutShare", reason),
    stop: (reason) => notifyWorker("stopShare", reason),
    leave: (how) => notifyWorker("leaveShare", how),
    async follow(take, signal) {
      const end = await readBatches(options, take, signal);
      if (end !== undefined && end !== "parked") outcome.resolve(end);
    },
  };
}

/** Gives how the answer ended; undefined when the reader left before. */
async function readBatches(
  { database, listener, sealer, id }: LiveShareOptions,
  take: Take<readonly AgentEvent[]>,
  signal: AbortSignal,
): Promise<TurnOutcome | "parked" | undefined> {
  let next = 0;
  const look = async (): Promise<readonly LiveBatch[] | undefined> => {
    const { rows } = await database.query(
      "select number, body from live_batches where share = $1 and number >= $2 order by number limit $3",
      [id, next, PAGE],
      "read live",
    );
    // The table is empty after a crash of the server: an answer with a hole in it is none.
    if (rows.some(({ number }, index) => Number(number) !== next + index)) return [{ end: lostOutcome() }];
    if (rows.length > 0) return rows.map(({ body }) => sealer.open(body as Uint8Array) as LiveBatch);
    return (await isLost(database, id)) ? [{ end: lostOutcome() }] : undefined;
  };
  for (;;) {
    const batches = await untilFound({ listener, kind: "live", id, look, signal });
    if (batches === undefined) return undefined;
    next += batches.length;
    for (const batch of batches) {
      if ("end" in batch) return batch.end;
      await take(batch.events);
    }
  }
}

/** The worker that wrote the answer is gone, or has ended it without saying so. */
async function isLost(database: Database, id: string): Promise<boolean> {
  const { rows } = await database.query("select state from turns where id = $1", [id], "read share");
  return rows[0]?.["state"] !== "running";
}

function lostOutcome(): TurnOutcome {
  const error = new CaretError("interrupted", "The worker that ran this turn was lost");
  return { kind: "failed", error: error.toInfo() };
}
