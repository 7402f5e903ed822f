import { CaretError } from "@caret/protocol";
import type { LaneEntry, TakeEntries } from "./lane.ts";

type LaneBatch = readonly LaneEntry[];

/** The end of something that failed before it answered anything: it is not shown unless nothing is left to try. */
export interface WithheldEnd {
  readonly entry: LaneEntry;
  readonly error: CaretError;
}

/** Keeps the end of a try back while something else may still be tried: it failed, and nothing was answered before. */
export function createWithheldEnd(canBeAverted: (error: CaretError) => boolean, signal: AbortSignal) {
  let failure: WithheldEnd | undefined;
  let hasAnswered = false;
  /** What of a batch may be shown. */
  const withhold = (entries: LaneBatch): LaneBatch => {
    if (hasAnswered || signal.aborted) return entries;
    failure = avertableEnd(entries, canBeAverted);
    if (failure !== undefined) return entries.slice(0, -1);
    hasAnswered = entries.some(isAnswer);
    return entries;
  };
  return {
    /** Gives what may be shown. More of a text comes after some of it, and with that it has answered. */
    before(take: TakeEntries): TakeEntries {
      const shown = (entries: LaneBatch): Promise<void> | void => {
        const left = withhold(entries);
        return left.length > 0 ? take(left) : undefined;
      };
      return Object.assign(shown, { more: take.more });
    },
    failure: () => failure,
  };
}

function avertableEnd(entries: LaneBatch, canBeAverted: (error: CaretError) => boolean): WithheldEnd | undefined {
  const entry = entries.at(-1);
  if (entry?.event.type !== "turn-end" || entry.event.outcome.kind !== "failed") return undefined;
  const { code, message } = entry.event.outcome.error;
  const error = new CaretError(code, message);
  return canBeAverted(error) && !entries.some(isAnswer) ? { entry, error } : undefined;
}

/** Something a person has seen: after it a second answer must not begin. */
function isAnswer({ event: { type } }: LaneEntry): boolean {
  return type.startsWith("text-") || type.startsWith("thinking-") || type.startsWith("tool-");
}
