import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** `full` in `npm run test:full`, `bars` in `npm run test:bars`, `quick` in every other run. */
    readonly bars: "quick" | "full" | "bars";
  }
}

/** For `describe.runIf`: a longer proof of what a cheaper test shows too, or one that says nothing at a small size. */
export function isFullRun(): boolean {
  return inject("bars") !== "quick";
}

interface BarSizes {
  /** `npm test`: a few seconds. */
  readonly quick: number;
  /** `npm run test:full`: a few minutes at most, so that the whole run stays below an hour. */
  readonly full: number;
  /** `npm run test:bars FILE`: the size of the proof that is run by itself, where it takes longer. Default: `full`. */
  readonly bar?: number;
}

export function barSize({ quick, full, bar = full }: BarSizes): number {
  return { quick, full, bars: bar }[inject("bars")];
}
