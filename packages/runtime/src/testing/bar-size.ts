import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** `full` in `npm run test:full`, `quick` in every other run. */
    readonly bars: "quick" | "full";
  }
}

/** For `describe.runIf`: a longer proof of what a cheaper test shows too, or one that says nothing at a small size. */
export function isFullRun(): boolean {
  return inject("bars") === "full";
}

/** How large a bar is: `npm run test:full` runs it at its full size, `npm test` at one that takes a few seconds. */
export function barSize({ quick, full }: { readonly quick: number; readonly full: number }): number {
  return isFullRun() ? full : quick;
}
