import { assertNever } from "@caret/protocol";

/**
 * Decides which profile and model a turn tries next.
 *
 * A pure state machine. It starts with the first model and the first profile that is not cooling down. A failure advances it:
 *
 * - `auth` (refused key, no login): the profile cools down, and the next one is tried with the same model. Another model would be refused
 *   as well, so none is tried.
 * - `account` (allowance used up, model not in the account's plan): the profile cools down for this model only, and the next profile is
 *   tried with it. Without another profile the next model is tried: the account may still run that one.
 * - `model`: the next model, with the same profile.
 * - `transport`: one retry per turn of the same profile and model, if that cannot cost anything; otherwise the next profile, or the next
 *   model.
 *
 * It stops when nothing is left, and is consulted only while the turn has not acted (`TurnActs`). It never returns to a profile or a model,
 * so a turn has fewer attempts than there are profiles and models together, plus one.
 */
export type FailureClass = "auth" | "account" | "transport" | "model";

export interface Attempt {
  readonly profile: string;
  readonly model: string;
}

/** When each profile's cooldown ends, by `coolingKey`, in the clock's milliseconds. Shared by all turns: the caller keeps the newest. */
export type Cooldowns = ReadonlyMap<string, number>;

export interface RotationState {
  readonly attempt: Attempt;
  /** Where this turn can still move to, in order. */
  readonly profiles: readonly string[];
  readonly models: readonly string[];
  readonly retried: boolean;
}

export interface RotationPlan {
  /** Preferred one first. */
  readonly profiles: readonly [string, ...string[]];
  readonly models: readonly [string, ...string[]];
  readonly cooldowns: Cooldowns;
  readonly nowMs: number;
}

export interface FailedAttempt {
  readonly failure: FailureClass;
  readonly cooldowns: Cooldowns;
  readonly nowMs: number;
  /** The prompt certainly has not been processed, so the same attempt can be repeated. */
  readonly isHarmless?: boolean;
  /** When the allowance is restored, according to upstream. */
  readonly coolUntilMs?: number;
}

/** All kinds except `stop` are also kinds of the notice that reports them. */
export type RotationStep =
  | {
      readonly kind: "retry" | "profile-rotation" | "model-fallback";
      readonly state: RotationState;
      readonly cooldowns: Cooldowns;
    }
  | { readonly kind: "stop"; readonly cooldowns: Cooldowns };

const COOLDOWN_MS = 5 * 60_000;

export function startRotation({ profiles, models, cooldowns, nowMs }: RotationPlan): RotationState {
  const [model, ...otherModels] = models;
  const usable = profiles.filter((profile) => readyAt(cooldowns, { profile, model }) <= nowMs);
  const [profile = soonestReady(profiles, model, cooldowns), ...otherProfiles] = usable;
  return { attempt: { profile, model }, profiles: otherProfiles, models: otherModels, retried: false };
}

export function nextAttempt(state: RotationState, failed: FailedAttempt): RotationStep {
  const cooldowns = coolDown(state.attempt, failed);
  const move = moveOn(state, { ...failed, cooldowns });
  return move === undefined ? { kind: "stop", cooldowns } : { ...move, cooldowns };
}

type Move = Omit<Exclude<RotationStep, { readonly kind: "stop" }>, "cooldowns">;

function moveOn(state: RotationState, failed: FailedAttempt): Move | undefined {
  switch (failed.failure) {
    case "auth":
      return rotateProfile(state, failed);
    case "account":
      return rotateProfile(state, failed) ?? fallBack(state);
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
  // Another turn may have had a profile refused since this one began.
  const { model } = state.attempt;
  const [profile, ...profiles] = state.profiles.filter((name) => readyAt(cooldowns, { profile: name, model }) <= nowMs);
  if (profile === undefined) return undefined;
  return { kind: "profile-rotation", state: { ...state, attempt: { ...state.attempt, profile }, profiles } };
}

function fallBack(state: RotationState): Move | undefined {
  const [model, ...models] = state.models;
  if (model === undefined) return undefined;
  return { kind: "model-fallback", state: { ...state, attempt: { ...state.attempt, model }, models } };
}

/** If all are cooling down, the one with the shortest wait is tried anyway: its owner may just have logged in. */
function soonestReady(profiles: RotationPlan["profiles"], model: string, cooldowns: Cooldowns): string {
  const ready = (profile: string) => readyAt(cooldowns, { profile, model });
  return profiles.reduce((soonest, profile) => (ready(profile) < ready(soonest) ? profile : soonest));
}

function coolDown(attempt: Attempt, failed: FailedAttempt): Cooldowns {
  const { failure, cooldowns, nowMs, coolUntilMs = nowMs + COOLDOWN_MS } = failed;
  if (failure === "auth") return new Map([...cooldowns, [coolingKey(attempt.profile), coolUntilMs]]);
  if (failure !== "account") return cooldowns;
  return new Map([...cooldowns, [coolingKey(attempt.profile, attempt.model), coolUntilMs]]);
}

/** Key for a whole profile, or for one model of it. */
export function coolingKey(profile: string, model?: string): string {
  return JSON.stringify(model === undefined ? [profile] : [profile, model]);
}

function readyAt(cooldowns: Cooldowns, { profile, model }: Attempt): number {
  return Math.max(cooldowns.get(coolingKey(profile)) ?? 0, cooldowns.get(coolingKey(profile, model)) ?? 0);
}
