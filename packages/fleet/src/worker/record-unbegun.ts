import type { CaretError, LaneName, TurnOutcome } from "@caret/protocol";
import type { EventStore, SessionEngine } from "@caret/runtime";
import type { Database } from "../database/open-database.ts";
import type { NativeInput } from "../wire/turn-input.ts";

export interface RecordUnbegunOptions {
  readonly database: Database;
  readonly store: EventStore;
  /**
   * Holds the session meanwhile. Claiming and releasing the lease here directly would take it from a turn that begins in this same worker:
   * its end could not be written, and no worker would look for it.
   */
  readonly engine: Pick<SessionEngine, "holdSession">;
  /** Lane of sessions that have none yet. */
  readonly lane: LaneName;
  /** Redacts what is kept. */
  readonly redact: (text: string) => string;
}

/**
 * Logs a turn that never began: its start and the reason it ended. A gateway that waited long has already given the turn's id to the
 * client, which follows the session until that turn ends. Writes nothing if the turn has begun after all. Returns false while another turn
 * of its session runs: call it again.
 */
export async function recordUnbegun(
  { database, store, engine, lane, redact }: RecordUnbegunOptions,
  turnId: string,
  { sessionId, wanted, caller }: NativeInput,
  reason: CaretError,
): Promise<boolean> {
  return await engine.holdSession(sessionId, async () => {
    const session = await store.getSession(sessionId);
    const begun = await database.query("select 1 from events where session_id = $1 and turn_id = $2 limit 1", [
      sessionId,
      turnId,
    ]);
    if (session === undefined || begun.count > 0) return true;
    if ((await store.runningTurns({ sessionId })).length > 0) return false;
    const start = {
      type: "turn-start",
      turnId,
      lane: session.lane ?? lane,
      workspace: session.workspace,
      prompt: redact(wanted.prompt),
      client: caller.tokenName,
    } as const;
    const end = { type: "turn-end", outcome: outcomeOf(reason) } as const;
    await store.append(
      sessionId,
      session.lastSeq,
      [start, end].map((event) => ({ turnId, event })),
    );
    return true;
  });
}

function outcomeOf(reason: CaretError): TurnOutcome {
  return reason.code === "cancelled" ? { kind: "cancelled" } : { kind: "failed", error: reason.toInfo() };
}
