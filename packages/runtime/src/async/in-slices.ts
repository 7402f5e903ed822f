import { setImmediate as nextLoop } from "node:timers/promises";

/** The longest another request waits for a part of the work. */
const SLICE_MS = 10;
/** Items between two looks at the clock. */
const LOOK_EVERY = 32;

/** Processes many items, yielding to everything else in this thread in between. */
export async function inSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let began = performance.now();
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    if (count % LOOK_EVERY !== 0 || performance.now() - began < SLICE_MS) continue;
    await nextLoop();
    began = performance.now();
  }
}

/** The items that pass, in order. */
export async function filterInSlices<Item>(
  items: Iterable<Item>,
  passes: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  await inSlices(items, (item) => {
    if (passes(item)) found.push(item);
  });
  return found;
}
