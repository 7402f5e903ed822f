import { CaretError, type ErrorInfo } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { interruptTurn, type UnendedTurn } from "../log/interrupted-end.ts";

/** Turns whose end the log did not take. Each is ended as soon as the log can be written again, so that none runs for ever. */
export interface UnendedTurns {
  add(turn: UnendedTurn, reason: ErrorInfo): void;
  has(sessionId: string): boolean;
  /** End the session's one now, if it has one. Rejects with what the log says. */
  end(sessionId: string): Promise<void>;
  /** Tries all of them once more. What cannot be ended then is ended by the next Caret that opens the log. */
  close(): Promise<void>;
}

export interface UnendedTurnsOptions {
  readonly store: EventStore;
  readonly waitsMs?: readonly number[];
}

const WAITS_MS = [250, 1_000, 5_000];

export function createUnendedTurns({ store, waitsMs = WAITS_MS }: UnendedTurnsOptions): UnendedTurns {
  const turns = new Map<string, { readonly turn: UnendedTurn; readonly reason: ErrorInfo }>();
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;

  const end = async (sessionId: string): Promise<void> => {
    const unended = turns.get(sessionId);
    if (unended === undefined) return;
    await interruptTurn(store, unended.turn, unended.reason);
    // Ended by us, by another process, or gone with its session. A session that moved on in between is looked at again.
    const running = await store.runningTurns({ sessionId });
    if (!running.some(({ turnId }) => turnId === unended.turn.turnId)) turns.delete(sessionId);
  };

  const endAll = async (): Promise<void> => {
    // A log that cannot be written yet is why they are here: they stay.
    for (const sessionId of turns.keys()) await end(sessionId).catch(() => undefined);
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (turns.size === 0) return;
    const waitMs = waitsMs[Math.min(attempts, waitsMs.length - 1)] ?? 0;
    attempts += 1;
    timer = setTimeout(() => void endAll().then(schedule), waitMs).unref();
  };

  return {
    add(turn, reason) {
      turns.set(turn.sessionId, { turn, reason });
      attempts = 0;
      schedule();
    },
    has: (sessionId) => turns.has(sessionId),
    async end(sessionId) {
      await end(sessionId);
      if (turns.has(sessionId))
        throw new CaretError("session-busy", `A turn of the session ${sessionId} has yet to be ended`);
    },
    async close() {
      clearTimeout(timer);
      await endAll();
      turns.clear();
    },
  };
}
