import { CaretError } from "@caret/protocol";
import type { TurnActs } from "../log/turn-acts.ts";
import type { LaneEntry, TakeEntries } from "./lane.ts";

type LaneBatch = readonly LaneEntry[];

/** The end of an attempt that failed before the turn had acted: hidden unless nothing is left to try. */
export interface WithheldEnd {
  readonly entry: LaneEntry;
  readonly error: CaretError;
}

/** How an attempt ended. */
export interface TryEnding {
  /** Set if something else may be tried. */
  readonly failure: WithheldEnd | undefined;
  /** The withheld end, if it is the turn's end after all. */
  readonly entries: LaneBatch;
}

export interface WithheldEndOptions {
  readonly canBeAverted: (error: CaretError) => boolean;
  readonly acts: TurnActs;
  readonly signal: AbortSignal;
}

/** Withholds the end of an attempt while something else may still be tried: it failed, and the turn has not acted. */
export function createWithheldEnd({ canBeAverted, acts, signal }: WithheldEndOptions) {
  let withheld: WithheldEnd | undefined;
  let hasBlocks = false;
  /** The part of a batch that may be shown. */
  const withhold = (entries: LaneBatch): LaneBatch => {
    acts.noteEvents(entries);
    if (acts.hasActed || signal.aborted) return entries;
    hasBlocks ||= entries.some(({ event }) => "blockId" in event);
    withheld = avertableEnd(entries, canBeAverted);
    return withheld === undefined ? entries : entries.slice(0, -1);
  };
  return {
    /** Wraps `take` to pass on only what may be shown. More of a text comes only after some of it, by which the turn has acted. */
    before(take: TakeEntries): TakeEntries {
      const shown = (entries: LaneBatch): Promise<void> | void => {
        const left = withhold(entries);
        return left.length > 0 ? take(left) : undefined;
      };
      return Object.assign(shown, { more: take.more });
    },
    /**
     * Call when the attempt is over. One of its calls may have arrived after its end was withheld: then nothing else may be tried, and its
     * end is the turn's.
     */
    ending: (): TryEnding => {
      if (withheld === undefined || !acts.hasActed) return { failure: withheld, entries: [] };
      return { failure: undefined, entries: [withheld.entry] };
    },
    /** Thoughts already shown stay: the blocks of the next attempt need other ids. */
    hasBlocks: () => hasBlocks,
  };
}

/** Renames the block ids of entries: each attempt numbers its blocks from the start. */
export function withOtherBlocks(take: TakeEntries, rename: (blockId: string) => string): TakeEntries {
  return (entries) =>
    take(
      entries.map((entry) => {
        const { event } = entry;
        return "blockId" in event ? { ...entry, event: { ...event, blockId: rename(event.blockId) } } : entry;
      }),
    );
}

function avertableEnd(entries: LaneBatch, canBeAverted: (error: CaretError) => boolean): WithheldEnd | undefined {
  const entry = entries.at(-1);
  if (entry?.event.type !== "turn-end" || entry.event.outcome.kind !== "failed") return undefined;
  const { code, message } = entry.event.outcome.error;
  const error = new CaretError(code, message);
  return canBeAverted(error) ? { entry, error } : undefined;
}
