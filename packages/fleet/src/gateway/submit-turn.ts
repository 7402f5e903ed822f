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
  /** The id of an earlier submission under the same idempotency key, if one exists. */
  readonly id: string;
  /**
   * The worker's answer once it has begun the turn, or undefined if the signal fires first. Rejects with the reason why it did not begin,
   * or with the error that kept us from reading the answer; then the turn may still act.
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

/** If a session's worker was lost, its turn is in the log with its end: a repeat under the same key is answered from there. */
async function loggedTurn(database: Database, sessionId: string, turnId: string): Promise<Reply | undefined> {
  const { rows } = await database.query(
    "select first_seq from logged_turns where session_id = $1 and turn_id = $2",
    [sessionId, turnId],
    "read logged turn",
  );
  return rows[0] && { ok: { sessionId, turnId, firstSeq: Number(rows[0]["first_seq"]) } };
}

/** Its worker looks up the idempotency key in the log: repeating such a request runs it once. */
function isRecalled({ kind, input }: NewTurn): boolean {
  return kind === "conversation" && (input as ConversationInput).request.idempotencyKey !== undefined;
}

/**
 * A session's turn that is not in the log has not begun. The same key always gets this answer; only a new key lets a repeat through. What a
 * conversation's request began is unknown.
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
