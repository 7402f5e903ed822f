import { CaretError } from "@caret/protocol";
import type { TurnActs } from "../log/turn-acts.ts";
import type { LaneEntry, TakeEntries } from "./lane.ts";

type LaneBatch = readonly LaneEntry[];

/** The end of something that failed before the turn had acted: it is not shown unless nothing is left to try. */
export interface WithheldEnd {
  readonly entry: LaneEntry;
  readonly error: CaretError;
}

/** How a try ended. */
export interface TryEnding {
  /** Something else may be tried. */
  readonly failure: WithheldEnd | undefined;
  /** The end that was withheld and is the turn's after all. */
  readonly entries: LaneBatch;
}

export interface WithheldEndOptions {
  readonly canBeAverted: (error: CaretError) => boolean;
  readonly acts: TurnActs;
  readonly signal: AbortSignal;
}

/** Keeps the end of a try back while something else may still be tried: it failed, and the turn has not acted. */
export function createWithheldEnd({ canBeAverted, acts, signal }: WithheldEndOptions) {
  let withheld: WithheldEnd | undefined;
  let hasBlocks = false;
  /** What of a batch may be shown. */
  const withhold = (entries: LaneBatch): LaneBatch => {
    acts.noteEvents(entries);
    if (acts.hasActed || signal.aborted) return entries;
    hasBlocks ||= entries.some(({ event }) => "blockId" in event);
    withheld = avertableEnd(entries, canBeAverted);
    return withheld === undefined ? entries : entries.slice(0, -1);
  };
  return {
    /** Returns what may be shown. More of a text comes after some of it, and with that the turn has acted. */
    before(take: TakeEntries): TakeEntries {
      const shown = (entries: LaneBatch): Promise<void> | void => {
        const left = withhold(entries);
        return left.length > 0 ? take(left) : undefined;
      };
      return Object.assign(shown, { more: take.more });
    },
    /**
     * To be asked when the try is over. A call that it made may have arrived after its end was withheld: then nothing else may be
     * tried, and its end is the turn's.
     */
    ending: (): TryEnding => {
      if (withheld === undefined || !acts.hasActed) return { failure: withheld, entries: [] };
      return { failure: undefined, entries: [withheld.entry] };
    },
    /** Thoughts were shown, which stay: the blocks of the next try must have other ids. */
    hasBlocks: () => hasBlocks,
  };
}

/** The same entries with other ids for their blocks: those of a try start from the beginning each time. */
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
