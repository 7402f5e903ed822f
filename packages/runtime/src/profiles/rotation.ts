import { assertNever } from "@caret/protocol";

/**
 * Which profile and model a turn is tried with next.
 *
 * A pure state machine. It starts with the first model and the first profile that is not cooling down. A failure moves
 * it:
 *
 * - `auth` (refused key, no login, allowance used up): the profile cools down, and the next one is tried with the same
 *   model. Another model would be refused as well, so none is tried.
 * - `model`: the next model, with the same profile.
 * - `transport`: once per turn the very same again, if that can cost nothing; else the next profile, or the next model.
 *
 * It stops when nothing is left, and at once when the agent has begun to answer: a second answer must never follow half
 * of a first. It never returns to a profile or a model, so a turn has fewer attempts than there are profiles and models
 * together, plus one.
 */
export type FailureClass = "auth" | "transport" | "model";

export interface Attempt {
  readonly profile: string;
  readonly model: string;
}

/** Until when each profile cools down, in the clock's milliseconds. Shared by all turns: the caller keeps the newest. */
export type Cooldowns = ReadonlyMap<string, number>;

export interface RotationState {
  readonly attempt: Attempt;
  /** What this turn may still move to, in order. */
  readonly profiles: readonly string[];
  readonly models: readonly string[];
  readonly retried: boolean;
}

export interface RotationPlan {
  /** The preferred one first. */
  readonly profiles: readonly [string, ...string[]];
  readonly models: readonly [string, ...string[]];
  readonly cooldowns: Cooldowns;
  readonly nowMs: number;
}

export interface FailedAttempt {
  readonly failure: FailureClass;
  /** Has the turn already shown anything of an answer? */
  readonly emitted: boolean;
  readonly cooldowns: Cooldowns;
  readonly nowMs: number;
  /** The prompt surely has not been worked on, so that the very same may be tried again. */
  readonly isHarmless?: boolean;
  /** When upstream said the allowance comes back. */
  readonly coolUntilMs?: number;
}

/** The kinds but `stop` are the kinds of the notice that tells of them. */
export type RotationStep =
  | {
      readonly kind: "retry" | "profile-rotation" | "model-fallback";
      readonly state: RotationState;
      readonly cooldowns: Cooldowns;
    }
  | { readonly kind: "stop"; readonly cooldowns: Cooldowns };

const COOLDOWN_MS = 5 * 60_000;

export function startRotation({ profiles, models, cooldowns, nowMs }: RotationPlan): RotationState {
  const usable = profiles.filter((profile) => !isCooling(cooldowns, profile, nowMs));
  const [profile = soonestReady(profiles, cooldowns), ...otherProfiles] = usable;
  const [model, ...otherModels] = models;
  return { attempt: { profile, model }, profiles: otherProfiles, models: otherModels, retried: false };
}

export function nextAttempt(state: RotationState, failed: FailedAttempt): RotationStep {
  const cooldowns = failed.failure === "auth" ? coolDown(state.attempt.profile, failed) : failed.cooldowns;
  const move = failed.emitted ? undefined : moveOn(state, { ...failed, cooldowns });
  return move === undefined ? { kind: "stop", cooldowns } : { ...move, cooldowns };
}

type Move = Omit<Exclude<RotationStep, { readonly kind: "stop" }>, "cooldowns">;

function moveOn(state: RotationState, failed: FailedAttempt): Move | undefined {
  switch (failed.failure) {
    case "auth":
      return rotateProfile(state, failed);
    case "model":
      return fallBack(state);
    case "transport":
      if (!state.retried && failed.isHarmless === true) return { kind: "retry", state: { ...state, retried: true } };
      return rotateProfile(state, failed) ?? fallBack(state);
    default:
      return assertNever(failed.failure);
  }
}

function rotateProfile(state: RotationState, { cooldowns, nowMs }: FailedAttempt): Move | undefined {
  // Another turn may have found a profile refused since this one began.
  const [profile, ...profiles] = state.profiles.filter((name) => !isCooling(cooldowns, name, nowMs));
  if (profile === undefined) return undefined;
  return { kind: "profile-rotation", state: { ...state, attempt: { ...state.attempt, profile }, profiles } };
}

function fallBack(state: RotationState): Move | undefined {
  const [model, ...models] = state.models;
  if (model === undefined) return undefined;
  return { kind: "model-fallback", state: { ...state, attempt: { ...state.attempt, model }, models } };
}

/** When all cool down, the one that has least to wait is tried after all: its owner may just have logged in. */
function soonestReady(profiles: RotationPlan["profiles"], cooldowns: Cooldowns): string {
  const readyAt = (profile: string) => cooldowns.get(profile) ?? 0;
  return profiles.reduce((soonest, profile) => (readyAt(profile) < readyAt(soonest) ? profile : soonest));
}

function coolDown(profile: string, { cooldowns, nowMs, coolUntilMs = nowMs + COOLDOWN_MS }: FailedAttempt): Cooldowns {
  return new Map([...cooldowns, [profile, coolUntilMs]]);
}

function isCooling(cooldowns: Cooldowns, profile: string, nowMs: number): boolean {
  return (cooldowns.get(profile) ?? 0) > nowMs;
}
