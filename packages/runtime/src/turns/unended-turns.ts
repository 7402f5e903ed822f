import { CaretError, type ErrorInfo } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { interruptTurn, type UnendedTurn } from "../log/interrupted-end.ts";

/** Turns whose end the log did not take. Retries each until the log can be written again, so none appears to run for ever. */
export interface UnendedTurns {
  add(turn: UnendedTurn, reason: ErrorInfo): void;
  has(sessionId: string): boolean;
  /** Ends the session's turn now, if it has one. Rejects with the log's error. */
  end(sessionId: string): Promise<void>;
  /** Tries all of them once more. The next Caret that opens the log ends the rest. */
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
    // Ended by us, by another process, or gone with its session. If the session moved on in between, check again later.
    const running = await store.runningTurns({ sessionId });
    if (!running.some(({ turnId }) => turnId === unended.turn.turnId)) turns.delete(sessionId);
  };

  const endAll = async (): Promise<void> => {
    // They stay until the log can be written.
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
