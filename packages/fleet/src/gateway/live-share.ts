import { type AgentEvent, afterActing, CaretError, type Take, type TurnOutcome, type TurnShare } from "@caret/protocol";
import { createTurnActs } from "@caret/runtime";
import type { Database } from "../database/open-database.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import { untilFound } from "../seat/until-found.ts";
import type { LiveBatch, ShareView } from "../wire/live-share.ts";
import type { Sealer } from "../wire/sealer.ts";

const PAGE = 64;

export interface LiveShareOptions {
  readonly database: Database;
  readonly listener: HintListener;
  readonly sealer: Sealer;
  /** Id of the request. */
  readonly id: string;
  readonly view: ShareView;
  /** Sends it to the worker, if that is still present. */
  readonly notifyWorker: (name: "leaveShare" | "cutShare" | "stopShare", word: string) => void;
}

/** A share in a turn that a worker runs, read from the rows that the worker writes. */
export function createLiveShare(options: LiveShareOptions): TurnShare {
  const { view, notifyWorker } = options;
  const outcome = Promise.withResolvers<TurnOutcome>();
  /** Acts in the part of the turn read here; its end reports the rest. */
  const acts = createTurnActs();
  return {
    ...view,
    outcome: outcome.promise,
    hasActed: () => !view.startsTurn || acts.hasActed,
    cut: (reason) => notifyWorker("cutShare", reason),
    stop: (reason) => notifyWorker("stopShare", reason),
    leave: (how) => notifyWorker("leaveShare", how),
    async follow(take, signal) {
      const noted: typeof take = (events) => {
        acts.noteEvents(events.map((event) => ({ event })));
        return take(events);
      };
      const end = await readBatches(options, noted, signal);
      if (end !== undefined && end !== "parked") outcome.resolve(end);
    },
  };
}

/** Resolves with how the answer ended, or with undefined if the reader left first. */
async function readBatches(
  options: LiveShareOptions,
  take: Take<readonly AgentEvent[]>,
  signal: AbortSignal,
): Promise<TurnOutcome | "parked" | undefined> {
  const { database, listener, sealer, id } = options;
  let next = 0;
  const look = async (): Promise<readonly LiveBatch[] | undefined> => {
    const { rows } = await database.query(
      "select number, body from live_batches where share = $1 and number >= $2 order by number limit $3",
      [id, next, PAGE],
      "read live",
    );
    // A server crash empties this table, and an answer with a gap must not be passed on.
    if (rows.some(({ number }, index) => Number(number) !== next + index)) return [{ end: await endOfLost(options) }];
    if (rows.length > 0) return rows.map(({ body }) => sealer.open(body as Uint8Array) as LiveBatch);
    return (await isLost(database, id)) ? [{ end: await endOfLost(options) }] : undefined;
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

/** The worker that wrote the answer is gone, or ended it without saying so. */
async function isLost(database: Database, id: string): Promise<boolean> {
  const { rows } = await database.query("select state from turns where id = $1", [id], "read share");
  return rows[0]?.["state"] !== "running";
}

/**
 * Before a lost worker's key is taken, its turn is ended in the log, with what the log knows of its acts. Until then, assume the turn has
 * acted.
 */
async function endOfLost({ database, view }: LiveShareOptions): Promise<TurnOutcome> {
  const { rows } = await database.query(
    "select data from events where session_id = $1 and turn_id = $2 order by seq desc limit 1",
    [view.sessionId, view.turnId],
    "read end of turn",
  );
  const last = rows[0] === undefined ? undefined : (JSON.parse(String(rows[0]["data"])) as AgentEvent);
  const end = last?.type === "turn-end" && last.outcome.kind === "failed" ? last.outcome.error : undefined;
  const error = new CaretError("interrupted", "The worker that ran this turn was lost").toInfo();
  return { kind: "failed", error: end?.hasActed === false ? { ...error, hasActed: false } : afterActing(error) };
}
