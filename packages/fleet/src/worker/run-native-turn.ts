import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import { HurriedStop, type RuntimeSessions } from "@caret/runtime";
import type { TakenTurn } from "../queue/turn-queue.ts";
import { replyOf } from "../wire/reply.ts";
import type { NativeInput } from "../wire/turn-input.ts";
import { LOST_GRACE_MS } from "./keep-leases.ts";
import type { TurnAnswers } from "./turn-answers.ts";

export interface RunNativeTurnOptions {
  readonly sessions: Pick<RuntimeSessions, "beginTurn">;
  readonly answer: TurnAnswers;
  /** Logs a turn that could not begin. Resolves to false while another turn of the session runs. */
  readonly recordUnbegun: (turnId: string, asked: NativeInput, reason: CaretError) => Promise<boolean>;
  readonly onError: (error: CaretError) => void;
}

/**
 * The gateway answers after ten seconds, whether or not the turn has begun. After half of that, the reason for a failure may no longer
 * reach the client.
 */
const UNHEARD_MS = 5_000;
/** Delay before writing to the log is retried. */
const RECORD_AGAIN_MS = 250;

/** Why a turn is stopped when its worker may soon lose the right to write its log. Its agent is gone before another worker begins. */
export function leaseLost(): CaretError {
  return new HurriedStop(
    LOST_GRACE_MS,
    "interrupted",
    "The worker could not renew its hold on this work in the database, and stopped it before another worker may take it over",
  );
}

/** Runs a turn of a session until the session is free again. */
export async function runNativeTurn(
  options: RunNativeTurnOptions,
  { id: turnId, waitedMs }: Pick<TakenTurn, "id" | "waitedMs">,
  asked: NativeInput,
  lost: AbortSignal,
): Promise<void> {
  const { sessions, answer } = options;
  const { sessionId, wanted, caller } = asked;
  const takenAt = performance.now();
  let settled: Promise<void> = Promise.resolve();
  const reply = await replyOf(async () => {
    const turn = await sessions.beginTurn(sessionId, wanted, caller, turnId);
    settled = turn.settled;
    lost.addEventListener("abort", () => turn.interrupt(leaseLost()), { once: true });
    if (lost.aborted) turn.interrupt(leaseLost());
    return { sessionId: turn.sessionId, turnId: turn.turnId, firstSeq: turn.firstSeq };
  });
  await answer(reply);
  await settled;
  if ("error" in reply && waitedMs + performance.now() - takenAt > UNHEARD_MS)
    await untilRecorded(options, () => options.recordUnbegun(turnId, asked, CaretError.fromInfo(reply.error)), lost);
}

/**
 * The client may already have the turn's id and follow the session until its end: without a record, forever. What kept the turn from
 * beginning, such as a database restart, may keep it out of the log as well, so retry. A worker that has lost the key leaves it to the one
 * that finds a turn without events (`reap-lost.ts`).
 */
async function untilRecorded(
  { onError }: Pick<RunNativeTurnOptions, "onError">,
  record: () => Promise<boolean>,
  lost: AbortSignal,
): Promise<void> {
  while (!lost.aborted) {
    const isRecorded = await record().catch((reason: unknown) => {
      onError(CaretError.from(reason));
      return false;
    });
    if (isRecorded) return;
    await sleep(RECORD_AGAIN_MS, undefined, { signal: lost }).catch(() => undefined); // the loop ends then
  }
}
