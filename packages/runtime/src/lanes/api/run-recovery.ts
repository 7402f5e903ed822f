import { CaretError } from "@caret/protocol";
import type { TurnActs } from "../../log/turn-acts.ts";
import type { RetrySettings } from "./api-host.ts";
import { explainRefusal } from "./explain-refusal.ts";
import type { StreamEnd } from "./transport/stream-end.ts";

/** How a turn's next stream begins: with the user's message, or from the last checkpoint. */
export type RunAction = "say" | "resume";

export type Recovery =
  | { readonly kind: "fail"; readonly error: CaretError }
  /** Open another stream after `delayMs`. `isToken`: at once, with another token. */
  | {
      readonly kind: "again";
      readonly action: RunAction;
      readonly delayMs: number;
      readonly error: CaretError;
      readonly isToken: boolean;
    };

/**
 * Decides what to do about a stream that ended before its turn. With a checkpoint of this turn it resumes from there, as long as that
 * leads to further checkpoints. Without one the message is sent again, but only while the turn has not acted: a second answer must never
 * follow half of a first, and no call may be made twice.
 */
export interface RunRecovery {
  noteCheckpoint(): void;
  after(end: StreamEnd): Recovery;
}

/** Resumes allowed without a newer checkpoint before upstream counts as stuck. */
const STUCK = 2;
const JITTER = 0.2;

export function createRunRecovery(
  retries: RetrySettings,
  acts: Pick<TurnActs, "hasActed">,
  random: () => number = Math.random,
): RunRecovery {
  let hasCheckpoint = false;
  let hasOtherToken = false;
  let repeats = 0;
  let refusals = 0;
  let resumes = 0;
  let stuck = 0;

  const delayMs = (count: number): number =>
    Math.min(retries.firstDelayMs * 2 ** (count - 1), retries.longestDelayMs) * (1 + JITTER * random());

  const again = (error: CaretError, count: number): Recovery => {
    const action = hasCheckpoint ? "resume" : "say";
    return { kind: "again", action, delayMs: delayMs(count), error, isToken: false };
  };

  /** Resumes from the checkpoint, if that has made progress so far. */
  const resume = (error: CaretError): Recovery => {
    resumes += 1;
    stuck += 1;
    return stuck > STUCK || resumes > retries.resumes ? { kind: "fail", error } : again(error, stuck);
  };

  const afterDrop = (error: CaretError): Recovery => {
    if (!error.retryable) return { kind: "fail", error };
    if (hasCheckpoint) return resume(error);
    repeats += 1;
    return acts.hasActed || repeats > retries.connects ? { kind: "fail", error } : again(error, repeats);
  };

  /** Another token helps once, but must never repeat a half-given answer. */
  const canReplaceToken = (): boolean => !hasOtherToken && (hasCheckpoint || !acts.hasActed);

  const withOtherToken = (error: CaretError): Recovery => {
    hasOtherToken = true;
    return { kind: "again", action: hasCheckpoint ? "resume" : "say", delayMs: 0, error, isToken: true };
  };

  const afterRefusal = ({ error, mayRetry, isToken }: ReturnType<typeof explainRefusal>): Recovery => {
    if (isToken && canReplaceToken()) return withOtherToken(error);
    if (!mayRetry) return { kind: "fail", error };
    if (hasCheckpoint) return resume(error);
    refusals += 1;
    return acts.hasActed || refusals > retries.refusals ? { kind: "fail", error } : again(error, refusals);
  };

  return {
    noteCheckpoint() {
      hasCheckpoint = true;
      stuck = 0;
    },
    after(end) {
      if (end.kind === "refused") return afterRefusal(explainRefusal(end.refusal));
      return afterDrop(end.kind === "dropped" ? end.error : new CaretError("no-result", ENDED_EARLY));
    },
  };
}

const ENDED_EARLY = "The upstream's stream ended before the turn did";
