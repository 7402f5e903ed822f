import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** V8's space for new objects, both halves together. */
const MOST_NEW_BYTES = 8 * 1024 * 1024;

/** By how much the heap may grow, in percent of what a full collection has left, before the next one. */
const GROWTH_PERCENT = 100;

/** Keeps V8's heap small while turns run: by itself it holds several times what is alive, and gives it back only at rest. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  boundNewSpace();
}

/**
 * The space for new objects doubles by itself up to 128 MB while much is said, and stays as large. `--max-semi-space-size` would
 * bound it, but can only be given to a process when it is started. V8 makes the space small again when there is little to do,
 * so that after each collection it has to be looked at whether it may grow.
 */
function boundNewSpace(): void {
  let mayGrow = true;
  const look = (): void => {
    const isSmall = newSpaceBytes() < MOST_NEW_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  // The start may have made it as large already: the collection that is heard of first would double it.
  look();
  new PerformanceObserver(look).observe({ entryTypes: ["gc"] });
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
}
