import type { Step } from "../../scenario/step-shapes.ts";

/** Where the attempts of one run were cut short, so that the client's next attempt gets further. */
export class RunAttempts {
  readonly #cuts = new Map<string, Map<Step, number>>();
  readonly #last = new Map<string, Step>();
  readonly #prompts = new Map<string, string>();

  /** Remembers what the user said; a resumed attempt does not say it again. */
  begin(run: string, prompt: string): void {
    this.#prompts.set(run, prompt);
  }

  promptOf(run: string): string {
    return this.#prompts.get(run) ?? "";
  }

  /** The steps of the next attempt: a resumed one begins after the last cut, a repeated one passes what has cut enough. */
  stepsOf(run: string, steps: readonly Step[], isResumed: boolean): readonly Step[] {
    const last = this.#last.get(run);
    const start = isResumed && last !== undefined ? steps.indexOf(last) + 1 : 0;
    const cuts = this.#cuts.get(run);
    return steps.slice(start).filter((step) => (cuts?.get(step) ?? 0) < timesOf(step));
  }

  /** Remembers that this step has cut an attempt short. */
  cut(run: string, step: Step): void {
    const cuts = this.#cuts.get(run) ?? new Map<Step, number>();
    this.#cuts.set(run, cuts.set(step, (cuts.get(step) ?? 0) + 1));
    this.#last.set(run, step);
  }
}

/** How many attempts a step may cut; what says nothing about it is played in each. */
function timesOf(step: Step): number {
  return "wire" in step && "times" in step.wire ? step.wire.times : Number.POSITIVE_INFINITY;
}
