import { CaretError, type ErrorInfo, type TurnOutcome } from "@caret/protocol";
import type { RunningTurn, SessionEngine, TurnRequest } from "../turns/session-engine.ts";
import { rememberTurn } from "./matching/chain.ts";
import type { TranscriptMatch } from "./matching/classify-transcript.ts";
import type { LineageStore } from "./matching/lineage-store.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import { createSharedTurn, type SharedTurn } from "./shared-turn.ts";

/** A failure may be accidental: a repeated request is tried again at once, then after growing pauses. */
const FREE_FAILURES = 2;

const FIRST_PAUSE_MS = 15_000;

const LONGEST_PAUSE_MS = 5 * 60_000;

/** Every request calls it, and it takes longer the more turns can still be joined. */
const TIDY_MS = 1_000;

interface TurnRegistryOptions {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  readonly graceMs: number;
  readonly goneMs: number;
  readonly joinMs: number;
  readonly retryMs: number;
  readonly now: () => number;
  readonly onError: (error: CaretError) => void;
}

/** Who asks for a turn. */
type Asker = Pick<ResolvedRequest, "tokenName" | "user" | "team" | "keeper" | "traceparent">;

/** Starts turns and records which transcript each one answers. */
export interface TurnRegistry {
  /** Throws the last failure of a request that failed too often, and whatever the engine throws. */
  start(match: TranscriptMatch, request: TurnRequest, asker: Asker): Promise<SharedTurn>;
  /** A running turn answers another transcript as well: it got the results it waited for. */
  note(shared: SharedTurn, match: TranscriptMatch): void;
  find(turnId: string): SharedTurn | undefined;
  /** Drops the turns that can no longer be joined. */
  tidy(): void;
}

/**
 * A client that names its conversation or its request may return to it. For any other, a closed connection nearly always means that the
 * answer is no longer wanted, and its agent must stop changing files.
 */
const UNNAMED_GRACE_MS = 500;

export function createTurnRegistry(options: TurnRegistryOptions): TurnRegistry {
  const { engine, lineage, graceMs, goneMs, joinMs, retryMs, now, onError } = options;
  const turns = new Map<string, SharedTurn>();
  const failed = createFailedRequests(now);
  let tidiedAt = Number.NEGATIVE_INFINITY;

  /** The turn already runs; if the index cannot be written, all we lose is the ability to continue from it. Does not reject. */
  const attempt = (written: Promise<void>): Promise<void> =>
    written.catch((reason: unknown) =>
      onError(new CaretError("storage-failed", "The index of transcripts could not be written", { cause: reason })),
    );

  const writeDown = (shared: SharedTurn, match: TranscriptMatch): void => {
    const { sessionId, turnId, outcome, begun } = shared.turn;
    const { line } = match;
    const heardBefore = match.relation === "continuation" ? match.heardBefore : 0;
    const turn = { sessionId, turnId, heardBefore, at: now() };
    shared.endAfter(attempt(rememberTurn(lineage, line, turn, begun)));
    void outcome.then(({ kind }) => attempt(lineage.settle(line, turnId, kind)));
  };

  /** The next request like this one starts a turn as if this one had never been. */
  const drop = ({ sessionId, turnId }: RunningTurn, { relation }: TranscriptMatch): void => {
    turns.delete(turnId);
    if (relation !== "continuation") void attempt(lineage.forget(sessionId));
  };

  return {
    async start(match, request, { tokenName, user, team, keeper, traceparent }) {
      const ofModel = (hash: string): string => `${request.model} ${hash}`;
      failed.assertTryable(ofModel(match.line.hash));
      // Its agent starts and its transcript is recorded while the turn's start is being written.
      const turn = await engine.beginTurn({ ...request, client: tokenName, user, team, traceparent });
      const { isNamed, hash } = match.line;
      const comesBack = isNamed || request.command !== undefined;
      const patienceMs = comesBack ? graceMs : Math.min(graceMs, UNNAMED_GRACE_MS);
      const shared = createSharedTurn({
        turn,
        hash,
        keeper,
        isNamed,
        hasHands: request.clientTools === undefined && request.mode !== "ask",
        graceMs: patienceMs,
        goneMs,
        joinMs,
        retryMs,
        now,
      });
      turns.set(turn.turnId, shared);
      writeDown(shared, match);
      let isInLog = false;
      turn.begun.then(
        () => {
          isInLog = true;
        },
        () => drop(turn, match),
      );
      // The failure of an unlogged turn says nothing about the request.
      void turn.outcome.then((outcome) => isInLog && failed.note(ofModel(shared.lastHash), outcome));
      // The next request with the same key finds this turn by its record: before that is logged it would start a second one.
      if (request.command !== undefined) await turn.begun;
      return shared;
    },
    note: writeDown,
    find: (turnId) => turns.get(turnId),
    tidy() {
      if (now() - tidiedAt < TIDY_MS) return;
      tidiedAt = now();
      for (const [turnId, shared] of turns) if (shared.isSpent) turns.delete(turnId);
    },
  };
}

/** Failed requests, by model and transcript digest: another model may well succeed. */
interface FailedRequests {
  note(hash: string, outcome: TurnOutcome): void;
  /**
   * Throws the last failure of a request that failed too often to be tried again at once. Clients automatically repeat failed requests
   * many times, each costing an agent. A request that says anything more counts as another one.
   */
  assertTryable(hash: string): void;
}

interface Failures {
  readonly count: number;
  readonly error: ErrorInfo;
  /** No agent is started before this time. */
  readonly pausedUntil: number;
}

function createFailedRequests(now: () => number): FailedRequests {
  const failures = new Map<string, Failures>();

  /** A count untouched for long enough restarts at zero. */
  const tidy = (): void => {
    for (const [hash, { pausedUntil }] of failures) if (now() - pausedUntil > LONGEST_PAUSE_MS) failures.delete(hash);
  };

  return {
    note(hash, outcome) {
      tidy();
      if (outcome.kind === "completed") failures.delete(hash);
      if (outcome.kind !== "failed") return;
      const count = (failures.get(hash)?.count ?? 0) + 1;
      failures.set(hash, { count, error: outcome.error, pausedUntil: now() + pauseAfter(count) });
    },
    assertTryable(hash) {
      const failed = failures.get(hash);
      const leftMs = (failed?.pausedUntil ?? 0) - now();
      if (failed === undefined || leftMs <= 0) return;
      const { count, error } = failed;
      throw CaretError.fromInfo({
        ...error,
        message: `${error.message} (the same request has failed ${count} times)`,
        fix: `${error.fix} An agent is started for this very request again in ${Math.ceil(leftMs / 1_000)} s.`,
      });
    },
  };
}

function pauseAfter(count: number): number {
  if (count < FREE_FAILURES) return 0;
  return Math.min(FIRST_PAUSE_MS * 2 ** (count - FREE_FAILURES), LONGEST_PAUSE_MS);
}
