import { CaretError } from "@caret/protocol";
import type { RunningTurn, SessionEngine, TurnRequest } from "../engine/session-engine.ts";
import type { Verdict } from "../lineage/classify-transcript.ts";
import type { LineageStore } from "../lineage/lineage-store.ts";
import { rememberTurn } from "../lineage/remember-turn.ts";
import { createFailedRequests } from "./failed-requests.ts";
import { createSharedTurn, type SharedTurn } from "./shared-turn.ts";

export interface TurnBookOptions {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  readonly maxTurns: number;
  readonly graceMs: number;
  readonly goneMs: number;
  readonly joinMs: number;
  readonly retryMs: number;
  readonly now: () => number;
  readonly onError: (error: CaretError) => void;
}

/** Starts turns, and keeps the books about which transcript each of them answers. */
export interface TurnBook {
  /** Throws `overloaded`, the failure of a request that has failed too often, and whatever the engine throws. */
  start(verdict: Verdict, request: TurnRequest, tokenName: string): Promise<SharedTurn>;
  /** A running turn answers another transcript, too: it was given the results it waited for. */
  note(shared: SharedTurn, verdict: Verdict): void;
  find(turnId: string): SharedTurn | undefined;
  /** Drops the turns that can no longer be joined. */
  tidy(): void;
}

/**
 * A client that names its conversation or its request may well come back to it. From any other a closed connection nearly always means
 * that nobody wants the answer any more, and its agent must not go on working in the files.
 */
const UNNAMED_GRACE_MS = 500;

export function createTurnBook(options: TurnBookOptions): TurnBook {
  const { engine, lineage, maxTurns, graceMs, goneMs, joinMs, retryMs, now, onError } = options;
  const turns = new Map<string, SharedTurn>();
  const failed = createFailedRequests(now);
  let starting = 0;

  /** A turn that has ended and only cleans up leaves its place to the next: its client may ask again at once. */
  const countRunning = (): number =>
    engine.runningTurns().filter(({ turnId }) => turns.get(turnId)?.endedAt === undefined).length;

  /** The turn runs by now; if the index cannot be written, all that is lost is that it can be gone on with. */
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch (reason) {
      onError(new CaretError("storage-failed", "The index of transcripts could not be written", { cause: reason }));
    }
  };

  const writeDown = ({ sessionId, turnId, outcome }: RunningTurn, verdict: Verdict): void => {
    const { line } = verdict;
    const heardBefore = verdict.relation === "continuation" ? verdict.heardBefore : 0;
    attempt(() => rememberTurn(lineage, line, { sessionId, turnId, heardBefore, at: now() }));
    void outcome.then(({ kind }) => attempt(() => lineage.settle(line.hash, turnId, kind)));
  };

  return {
    async start(verdict, request, tokenName) {
      failed.assertTryable(verdict.line.hash);
      if (countRunning() + starting >= maxTurns)
        throw new CaretError("overloaded", "As many turns are running already as may run at once");
      starting += 1;
      try {
        const turn = await engine.startTurn(request);
        const { isNamed, hash } = verdict.line;
        const comesBack = isNamed || request.command !== undefined;
        const patienceMs = comesBack ? graceMs : Math.min(graceMs, UNNAMED_GRACE_MS);
        const shared = createSharedTurn({
          turn,
          hash,
          tokenName,
          isNamed,
          graceMs: patienceMs,
          goneMs,
          joinMs,
          retryMs,
          now,
        });
        turns.set(turn.turnId, shared);
        void turn.outcome.then((outcome) => failed.note(shared.lastHash, outcome));
        writeDown(turn, verdict);
        return shared;
      } finally {
        starting -= 1;
      }
    },
    note: ({ turn }, verdict) => writeDown(turn, verdict),
    find: (turnId) => turns.get(turnId),
    tidy() {
      for (const [turnId, { endedAt }] of turns)
        if (endedAt !== undefined && now() - endedAt > joinMs) turns.delete(turnId);
    },
  };
}
