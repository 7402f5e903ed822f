import { CaretError, type ErrorCode } from "@caret/protocol";
import type { TurnActs } from "../log/turn-acts.ts";
import {
  type Attempt,
  type Cooldowns,
  nextAttempt,
  type RotationPlan,
  type RotationState,
  startRotation,
} from "../profiles/rotation.ts";
import { isRecoverable } from "./classify-failure.ts";
import { type LaneEntry, outcomeOfStop, type TakeEntries } from "./lane.ts";
import { createWithheldEnd, type TryEnding, withOtherBlocks } from "./withheld-end.ts";

type LaneBatch = readonly LaneEntry[];

/** An opened attempt. */
export interface OpenedAttempt {
  /** Passes on its batches, as a lane does. */
  readonly run: (take: TakeEntries) => Promise<void>;
  /** A failure with this code is worth repeating the same attempt in another way: `isOtherWay` is then true. */
  readonly otherWayAfter?: ErrorCode | undefined;
}

/** An attempt that could not be opened consists of its end only. */
export function unopened(reason: unknown, signal: AbortSignal): OpenedAttempt {
  const failed = { kind: "failed", error: CaretError.from(reason).toInfo() } as const;
  const outcome = signal.aborted ? outcomeOfStop(signal) : failed;
  return { run: async (take) => await take([{ event: { type: "turn-end", outcome } }]) };
}

/** Starts nothing for a turn that has been stopped. */
async function openWanted(signal: AbortSignal, open: () => Promise<OpenedAttempt>): Promise<OpenedAttempt> {
  return signal.aborted ? unopened(signal.reason, signal) : await open();
}

/** The attempts of one turn. */
export interface TurnAttempts extends Omit<RotationPlan, "cooldowns" | "nowMs"> {
  /** Never rejects: an attempt that cannot be opened is `unopened`. */
  readonly open: (attempt: Attempt, isOtherWay: boolean) => Promise<OpenedAttempt>;
  readonly acts: TurnActs;
  readonly signal: AbortSignal;
}

/** The input of one attempt. */
interface Step {
  readonly state: RotationState;
  readonly isOtherWay: boolean;
}

interface NextStep {
  /** Undefined if nothing is left to try. */
  readonly step: Step | undefined;
  readonly entries: LaneBatch;
}

/**
 * Runs a lane's turns: one attempt after the other, each with the next profile or model, until one answers or nothing is left to try.
 * Profile cooldowns are shared by all turns of the lane.
 */
export function createAttemptRunner(wallClock: () => number): (turn: TurnAttempts, take: TakeEntries) => Promise<void> {
  let cooldowns: Cooldowns = new Map();

  /** The next attempt with a notice of it; or the failure itself if nothing is left to try. */
  const recover = ({ state, isOtherWay }: Step, tried: TryEnding, otherWayAfter?: ErrorCode): NextStep => {
    if (tried.failure === undefined) return { step: undefined, entries: tried.entries };
    const { entry, error } = tried.failure;
    if (error.code === otherWayAfter) return { step: { state, isOtherWay: true }, entries: [] };
    const failure = isRecoverable(error);
    const setting = { cooldowns, nowMs: wallClock(), isHarmless: isHarmless(error) };
    const next = failure === undefined ? undefined : nextAttempt(state, { failure, ...setting });
    cooldowns = next?.cooldowns ?? cooldowns;
    if (next === undefined || next.kind === "stop") return { step: undefined, entries: [entry] };
    const message = describeStep(state.attempt, next.state.attempt, error);
    return {
      step: { state: next.state, isOtherWay },
      entries: [{ event: { type: "notice", kind: next.kind, message } }],
    };
  };

  return async function runAttempts({ profiles, models, open, acts, signal }, take) {
    const state = startRotation({ profiles, models, cooldowns, nowMs: wallClock() });
    let step: Step | undefined = { state, isOtherWay: false };
    let hasBlocks = false;
    for (let count = 1; step !== undefined; count += 1) {
      const { attempt } = step.state;
      const { isOtherWay } = step;
      const opened = await openWanted(signal, () => open(attempt, isOtherWay));
      const { otherWayAfter } = opened;
      const canAvert = (error: CaretError): boolean => canBeAverted(error, otherWayAfter);
      const withheld = createWithheldEnd({ canBeAverted: canAvert, acts, signal });
      const own = hasBlocks ? withOtherBlocks(take, (blockId) => `${blockId}-${count}`) : take;
      await opened.run(withheld.before(own));
      hasBlocks ||= withheld.hasBlocks();
      const next: NextStep = recover(step, withheld.ending(), otherWayAfter);
      if (next.entries.length > 0) await take(next.entries);
      step = next.step;
    }
  };
}

function canBeAverted(error: CaretError, otherWayAfter: ErrorCode | undefined): boolean {
  return isRecoverable(error) !== undefined || error.code === otherWayAfter;
}

/** An agent that could not start or reach its server has neither worked on the prompt nor spent anything. */
function isHarmless({ code }: CaretError): boolean {
  return code === "agent-unavailable" || code === "upstream-unreachable";
}

function describeStep(from: Attempt, to: Attempt, { message }: CaretError): string {
  if (from.model !== to.model) return `${from.model} failed (${message}); trying the model ${to.model}`;
  if (from.profile !== to.profile) return `The profile ${from.profile} failed (${message}); trying ${to.profile}`;
  return `The attempt failed (${message}); trying once more`;
}
