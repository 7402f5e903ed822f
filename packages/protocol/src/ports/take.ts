import type { AgentEventOf } from "../events/agent-event.ts";

/** Consumes items one at a time. If it returns a promise, the next item must wait until that settles. */
export type Take<Item> = (item: Item) => Promise<void> | void;

/**
 * Fast path for more text: a delta that continues the last event of the previous batch, or an earlier such delta, without a batch around
 * it. Returns false if it did nothing; the delta must then come in a batch.
 */
export type TakeMore = (delta: AgentEventOf<"text-delta">) => boolean;

/** Consumes a turn's batches. `more` is the fast path for most of an agent's output; without it, everything comes in batches. */
export interface TakeBatch<Batch> {
  (batch: Batch): Promise<void> | void;
  readonly more?: TakeMore | undefined;
}
