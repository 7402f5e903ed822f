import { afterActing, CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { NewTurn, TurnQueue } from "../queue/turn-queue.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import { untilFound } from "../seat/until-found.ts";
import type { Notifier } from "../wire/notifier.ts";
import { type Reply, unwrapReply } from "../wire/reply.ts";
import type { Sealer } from "../wire/sealer.ts";
import type { ConversationInput } from "../wire/turn-input.ts";
import { withdrawn } from "../wire/withdrawn.ts";

export interface SubmitTurnOptions {
  readonly database: Database;
  readonly turns: Pick<TurnQueue, "submit">;
  readonly sealer: Sealer;
  readonly listener: HintListener;
  readonly notifier: Notifier;
}

export interface SubmittedTurn {
  /** That of an earlier submission under the same idempotency key, if there was one. */
  readonly id: string;
  /**
   * What the worker answered when it had begun the turn; undefined when the signal came first. Rejects with why it did not begin; and with
   * what kept the answer from being read, when the turn may still act.
   */
  begun(signal?: AbortSignal): Promise<unknown>;
}

export async function submitTurn(options: SubmitTurnOptions, turn: NewTurn): Promise<SubmittedTurn> {
  const { database, turns, sealer, listener, notifier } = options;
  const id = await turns.submit(turn);
  notifier.hint({ kind: "key", id: turn.key });
  notifier.hint({ kind: "work", id: turn.queue });
  const look = async (): Promise<Reply | undefined> => {
    const { rows } = await database.query("select state, answer from turns where id = $1", [id], "read turn");
    const [row] = rows;
    if (row?.["answer"] instanceof Uint8Array) return sealer.open(row["answer"]) as Reply;
    if (row === undefined || row["state"] === "withdrawn") return { error: withdrawn().toInfo() };
    if (row["state"] === "queued" || row["state"] === "running") return undefined;
    return (await loggedTurn(database, turn.key, id)) ?? { error: neverBegan(turn).toInfo() };
  };
  return {
    id,
    async begun(signal) {
      const how = { listener, kind: "turn", id, look, ...(signal === undefined ? {} : { signal }) } as const;
      const reply = await untilFound(how).catch((reason: unknown) => {
        throw turn.idempotencyKey !== undefined || isRecalled(turn)
          ? reason
          : CaretError.fromInfo(afterActing(CaretError.from(reason).toInfo()), reason);
      });
      return reply === undefined ? undefined : unwrapReply(reply);
    },
  };
}

/** A turn of a session whose worker was lost is in the log, with its end: under its key it is answered as it is there. */
async function loggedTurn(database: Database, sessionId: string, turnId: string): Promise<Reply | undefined> {
  const { rows } = await database.query(
    "select first_seq from logged_turns where session_id = $1 and turn_id = $2",
    [sessionId, turnId],
    "read logged turn",
  );
  return rows[0] && { ok: { sessionId, turnId, firstSeq: Number(rows[0]["first_seq"]) } };
}

/** A conversation's worker looks for the turn of its key in the log: sent again, that request is done once. */
function isRecalled({ kind, input }: NewTurn): boolean {
  return kind === "conversation" && (input as ConversationInput).request.idempotencyKey !== undefined;
}

/**
 * A turn of a session that is not in the log has not begun. Under the same key it is answered like this for ever: sent again, it can only
 * pass under another. What a conversation's request had begun nobody can say.
 */
function neverBegan(turn: NewTurn): CaretError {
  const message = "The worker that had taken this turn was lost while it started";
  if (isRecalled(turn)) return new CaretError("interrupted", message);
  if (turn.kind === "conversation") return new CaretError("interrupted", message, { retryable: false, hasActed: true });
  return turn.idempotencyKey === undefined
    ? new CaretError("interrupted", message, {
        fix: "See what was done, then send it again: a turn that was started is never started again by itself.",
      })
    : new CaretError("interrupted", message, {
        retryable: false,
        fix: "See what was done. To have it done, send the request under a new key.",
      });
}
