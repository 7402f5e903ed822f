import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Of both halves together. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Keeps V8's space for new objects from growing beyond a limit; by itself it doubles up to 128 MB while much is said, and
 * keeps them. `--max-semi-space-size` would do the same, but can only be given to a process when it is started. V8 makes the
 * space small again when there is little to do, so that after each collection it has to be looked at whether it may grow.
 */
export function boundNewSpace(): void {
  let mayGrow = true;
  new PerformanceObserver(() => {
    const isSmall = newSpaceBytes() < MOST_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }).observe({ entryTypes: ["gc"] });
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
}
