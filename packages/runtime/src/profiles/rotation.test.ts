import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Cooldowns,
  coolingKey,
  type FailedAttempt,
  type FailureClass,
  nextAttempt,
  type RotationPlan,
  type RotationState,
  startRotation,
} from "./rotation.ts";

const nowMs = 1_000_000;
const plan: RotationPlan = {
  profiles: ["work", "home"],
  models: ["opus", "sonnet"],
  cooldowns: new Map(),
  nowMs,
};

/** The turn as its user sees it: each attempt, and why it followed the last. */
function follow(failures: readonly FailureClass[], start: RotationPlan = plan, more: Partial<FailedAttempt> = {}) {
  let state: RotationState = startRotation(start);
  let cooldowns: Cooldowns = start.cooldowns;
  const story = [`${state.attempt.profile}/${state.attempt.model}`];
  for (const failure of failures) {
    const step = nextAttempt(state, { failure, isHarmless: true, cooldowns, nowMs, ...more });
    cooldowns = step.cooldowns;
    if (step.kind === "stop") return { story: [...story, "stop"], cooldowns };
    state = step.state;
    story.push(`${step.kind}: ${state.attempt.profile}/${state.attempt.model}`);
  }
  return { story, cooldowns };
}

describe("rotation", () => {
  it("tries the next profile with the same model when one is refused, and no other model after the last", () => {
    expect(follow(["auth", "auth"])).toEqual({
      story: ["work/opus", "profile-rotation: home/opus", "stop"],
      cooldowns: new Map([
        [coolingKey("work"), nowMs + 300_000],
        [coolingKey("home"), nowMs + 300_000],
      ]),
    });
  });

  it("tries the next profile when an allowance is used up, then the next model, and only this model cools down", () => {
    expect(follow(["account", "account", "account"])).toEqual({
      story: ["work/opus", "profile-rotation: home/opus", "model-fallback: home/sonnet", "stop"],
      cooldowns: new Map([
        [coolingKey("work", "opus"), nowMs + 300_000],
        [coolingKey("home", "opus"), nowMs + 300_000],
        [coolingKey("home", "sonnet"), nowMs + 300_000],
      ]),
    });
  });

  it("still prefers a profile for the models whose allowance it has not used up", () => {
    const cooldowns = new Map([[coolingKey("work", "opus"), nowMs + 1]]);
    expect({
      opus: follow([], { ...plan, cooldowns }).story,
      sonnet: follow([], { ...plan, models: ["sonnet"], cooldowns }).story,
    }).toEqual({ opus: ["home/opus"], sonnet: ["work/sonnet"] });
  });

  it("tries the next model with the same profile when one cannot answer, and blames no profile", () => {
    expect(follow(["model", "model"])).toEqual({
      story: ["work/opus", "model-fallback: work/sonnet", "stop"],
      cooldowns: new Map(),
    });
  });

  it("tries the same once more when the connection fails, then the next profile, then the next model", () => {
    expect(follow(["transport", "transport", "transport", "transport"])).toEqual({
      story: ["work/opus", "retry: work/opus", "profile-rotation: home/opus", "model-fallback: home/sonnet", "stop"],
      cooldowns: new Map(),
    });
  });

  it("does not try the same again when the prompt may have been worked on", () => {
    expect(follow(["transport", "transport", "transport"], plan, { isHarmless: false }).story).toEqual([
      "work/opus",
      "profile-rotation: home/opus",
      "model-fallback: home/sonnet",
      "stop",
    ]);
  });

  it("keeps what it has learned when failures are mixed", () => {
    expect(follow(["model", "auth", "transport", "transport"]).story).toEqual([
      "work/opus",
      "model-fallback: work/sonnet",
      "profile-rotation: home/sonnet",
      "retry: home/sonnet",
      "stop",
    ]);
  });

  it("cools a profile down until its allowance comes back, when upstream says when", () => {
    expect(follow(["auth"], plan, { coolUntilMs: nowMs + 9 }).cooldowns).toEqual(
      new Map([[coolingKey("work"), nowMs + 9]]),
    );
  });

  it("begins with the first profile that is not cooling down", () => {
    expect(follow([], { ...plan, cooldowns: new Map([[coolingKey("work"), nowMs + 1]]) }).story).toEqual(["home/opus"]);
  });

  it("uses a profile again as soon as it has cooled down", () => {
    expect(follow([], { ...plan, cooldowns: new Map([[coolingKey("work"), nowMs]]) }).story).toEqual(["work/opus"]);
  });

  it("tries the one that has least to wait, and only it, when all are cooling down", () => {
    const cooldowns = new Map([
      [coolingKey("work"), nowMs + 2],
      [coolingKey("home"), nowMs + 1],
    ]);
    expect(follow(["auth"], { ...plan, cooldowns }).story).toEqual(["home/opus", "stop"]);
  });

  it("passes over a profile that another turn has found refused meanwhile", () => {
    const meanwhile = { cooldowns: new Map([[coolingKey("home"), nowMs + 1]]) };
    expect(follow(["auth"], plan, meanwhile).story).toEqual(["work/opus", "stop"]);
  });

  it("ends, and tries nothing twice but the one retry, whatever fails", () => {
    const failures = fc.array(fc.constantFrom<FailureClass>("auth", "account", "transport", "model"), {
      minLength: 20,
      maxLength: 20,
    });
    fc.assert(
      fc.property(failures, fc.nat(4), fc.nat(4), (failing, moreProfiles, moreModels) => {
        const profiles = ["p", ...Array.from({ length: moreProfiles }, (_, index) => `p${index}`)] as const;
        const models = ["m", ...Array.from({ length: moreModels }, (_, index) => `m${index}`)] as const;
        const { story } = follow(failing, { ...plan, profiles: [...profiles], models: [...models] });
        const attempts = story.slice(0, -1).map((line) => line.replace(/^[\w-]+: /, ""));
        expect(story.at(-1)).toBe("stop");
        expect(attempts.length).toBeLessThanOrEqual(profiles.length + models.length);
        expect(attempts.length - new Set(attempts).size).toBeLessThanOrEqual(1);
      }),
    );
  });
});
