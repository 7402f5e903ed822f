import { setImmediate as nextLoop } from "node:timers/promises";

/** Another request waits no longer than this for a part of the work. */
const SLICE_MS = 10;
/** The clock is looked at once in so many items. */
const LOOK_EVERY = 32;

/** Does something with each of very many items, and lets all else in this thread run in between. */
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

/** Those that pass, in the same order. */
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
