import { setTimeout as sleep } from "node:timers/promises";
import type { Faults } from "../../scenario/faults.ts";
import { stepName } from "../../scenario/scenario.ts";
import type { Step } from "../../scenario/step-shapes.ts";

export interface Prelude {
  readonly faults: Faults;
  readonly signal: AbortSignal;
}

/** What a wire step needs a turn for. */
const duringTurn = ["checkpoint", "exec", "query", "heartbeats", "unknown"];

/**
 * Plays the faults that a scenario begins with, before the answer has a head and the client is asked for anything. Gives
 * the steps that follow them.
 */
export async function playPrelude(steps: readonly Step[], { faults, signal }: Prelude): Promise<readonly Step[]> {
  const first = steps.findIndex((step) => !isEarly(step, faults));
  const early = first === -1 ? steps : steps.slice(0, first);
  for (const step of early) {
    if ("delay" in step) await sleep(step.delay, undefined, { signal });
    const name = stepName(step);
    // The key chose the shape when the scenario was checked, so step and fault belong together.
    if (name !== undefined && name in faults) await (faults[name as keyof Faults] as (step: Step) => unknown)(step);
  }
  return steps.slice(early.length);
}

function isEarly(step: Step, faults: Faults): boolean {
  if ("wire" in step) return !duringTurn.some((name) => name in step.wire);
  const name = stepName(step);
  return name === "delay" || (name !== undefined && name in faults);
}
