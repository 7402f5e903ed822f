import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Limit of V8's new space, both halves together. */
const MOST_NEW_BYTES = 8 * 1024 * 1024;

/** How much the heap may grow before the next full collection, in percent of what the last one left. */
const GROWTH_PERCENT = 100;

/** Keeps V8's heap small while turns run: by default it grows to several times the live data and shrinks only at rest. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  boundNewSpace();
}

/**
 * By default the new space doubles up to 128 MB under load and stays there. `--max-semi-space-size` would bound it, but only as a flag at
 * process start. V8 shrinks the space again when there is little to do, so whether it may grow is decided anew after each collection.
 */
function boundNewSpace(): void {
  let mayGrow = true;
  const look = (): void => {
    const isSmall = newSpaceBytes() < MOST_NEW_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  // Startup may already have grown it: the first observed collection would double it.
  look();
  new PerformanceObserver(look).observe({ entryTypes: ["gc"] });
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
}
