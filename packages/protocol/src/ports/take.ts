import type { AgentEventOf } from "../events/agent-event.ts";

/** Takes one item after the other. A promise means that it is not ready for the next one before that is settled. */
export type Take<Item> = (item: Item) => Promise<void> | void;

/**
 * Takes more of a text: a delta that goes on from the last event of the batch before, or from such a delta, without a batch
 * around it. False: nothing was done, and the delta has to come in a batch.
 */
export type TakeMore = (delta: AgentEventOf<"text-delta">) => boolean;

/**
 * Takes the batches of a turn. `more` is a short way for nearly all of what an agent says; a reader without it is given
 * batches only.
 */
export interface TakeBatch<Batch> {
  (batch: Batch): Promise<void> | void;
  readonly more?: TakeMore | undefined;
}
