/** Collects things and hands them over at most once per frame: many small changes become one. */
export function createFrameBatch<Item>(
  nextFrame: (callback: () => void) => void,
  flush: (items: readonly Item[]) => void,
): (items: readonly Item[]) => void {
  let waiting: Item[] = [];
  return (items) => {
    const isFirst = waiting.length === 0;
    for (const item of items) waiting.push(item);
    if (!isFirst || waiting.length === 0) return;
    nextFrame(() => {
      const batch = waiting;
      waiting = [];
      flush(batch);
    });
  };
}
