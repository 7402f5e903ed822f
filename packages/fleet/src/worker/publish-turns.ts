import { CaretError } from "@caret/protocol";
import type { EventStore, RunningTurn } from "@caret/runtime";
import type { Database } from "../database/open-database.ts";
import { createPatience } from "../log/patience.ts";
import type { Notifier } from "../wire/notifier.ts";
import type { Sealer } from "../wire/sealer.ts";
import { isWaiting, waitsOf } from "./shown-waits.ts";

export interface PublishTurnsOptions {
  readonly database: Database;
  readonly store: EventStore;
  readonly sealer: Sealer;
  readonly notifier: Notifier;
  readonly owner: string;
  /** Home of its workspace and chats from now on. */
  readonly machine: string;
  readonly onError: (error: CaretError) => void;
}

/** Events after which a turn may wait for something else. */
const turning = new Set([
  "tool-call",
  "tool-result",
  "approval-request",
  "approval-answer",
  "question",
  "question-answer",
]);

/** Publishes to gateways which turns run here and what they wait for. Call the returned function with each turn. */
export function createTurnPublisher(options: PublishTurnsOptions): (turn: RunningTurn) => void {
  const { database, store, sealer, notifier, owner, machine, onError } = options;

  const write = async ({ sessionId, turnId }: RunningTurn, waits: Buffer | null): Promise<void> => {
    await database.query(
      `with home as (update sessions set home_machine = $5 where id = $1 and home_machine is null)
       insert into running_turns (session_id, turn_id, owner, waits) values ($1, $2, $3, $4)
       on conflict (session_id) do update set turn_id = $2, owner = $3, waits = $4, changed = now()`,
      [sessionId, turnId, owner, waits, machine],
      "publish turn",
    );
    notifier.hint({ kind: "running", id: sessionId });
  };
  /** A session made by its turn has a row once the turn is in the log. */
  const settleNew = async ({ sessionId }: RunningTurn): Promise<void> => {
    const sql = "update sessions set home_machine = $2 where id = $1 and home_machine is null";
    await database.query(sql, [sessionId, machine], "settle session");
  };
  const remove = async ({ sessionId, turnId }: RunningTurn): Promise<void> => {
    await database.query("delete from running_turns where session_id = $1 and turn_id = $2", [sessionId, turnId]);
    notifier.hint({ kind: "running", id: sessionId });
  };

  return (turn) => {
    const patience = createPatience();
    let shown: string | undefined;
    let writing: Promise<void> = Promise.resolve();
    const then = (work: () => Promise<void>): void => {
      writing = writing.then(work).catch((reason: unknown) => onError(CaretError.from(reason)));
    };
    const publish = (): void =>
      then(async () => {
        const waits = waitsOf(turn);
        const text = JSON.stringify(waits);
        if (text === shown) return;
        shown = text;
        const sealed = isWaiting(waits) ? sealer.seal(waits) : null;
        // Keep trying: until gateways show the turn, nobody can be asked anything or stop it.
        await patience.retry(() => write(turn, sealed), { keepTrying: true });
      });
    const ends = [
      turn.asks.onChange(publish),
      store.subscribe(turn.sessionId, (events) => {
        if (events.some(({ event }) => turning.has(event.type))) publish();
      }),
    ];
    publish();
    // A turn that is not in the log has no session either.
    if (turn.firstSeq === 1)
      turn.begun.then(
        () => then(() => settleNew(turn)),
        () => undefined,
      );
    void turn.outcome.then(() => patience.limit(0));
    void turn.settled.then(() => {
      for (const end of ends) end();
      then(() => remove(turn));
    });
  };
}
