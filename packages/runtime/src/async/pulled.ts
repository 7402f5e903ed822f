import type { Take } from "@caret/protocol";
import { Doorbell } from "./doorbell.ts";

/**
 * Turns a pushing source into a pulled one: it starts with the first pull, and its next item is taken when the reader asks for it. `leave`
 * is called when the reader stops: the source must then end, which is awaited.
 */
export async function* pulled<Item>(
  push: (take: Take<Item>) => Promise<void>,
  leave: () => void,
): AsyncGenerator<Item, void, undefined> {
  const bell = new Doorbell();
  const arrived: Item[] = [];
  let release = (): void => undefined;
  let failure: { readonly reason: unknown } | undefined;
  let isOver = false;
  let hasLeft = false;
  const over = (): void => {
    isOver = true;
    bell.ring();
  };
  const source = push((item) => {
    if (hasLeft) return undefined;
    arrived.push(item);
    bell.ring();
    return new Promise((resolve) => {
      release = resolve;
    });
  }).then(over, (reason: unknown) => {
    failure = { reason };
    over();
  });
  try {
    for (;;) {
      for (const item of arrived.splice(0)) yield item;
      release();
      if (isOver && arrived.length === 0) break;
      await bell.rung();
    }
  } finally {
    hasLeft = true;
    leave();
    release();
    await source;
  }
  if (failure !== undefined) throw failure.reason;
}
