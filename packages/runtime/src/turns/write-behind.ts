import { type AgentEvent, CaretError } from "@caret/protocol";
import { lengthOfEvent, type StoredEvent } from "../log/event-store.ts";
import type { TurnLog } from "./turn-log.ts";

/** How much may be on its way to the disk. An agent that is faster than the disk is then slowed down, not kept in memory. */
const MAX_BATCHES = 64;
const MAX_CHARACTERS = 256 * 1024;

/** Puts the events of a turn into its log and goes on while the disk is at work, up to a limit. */
export interface WriteBehind {
  /** Resolves when there is room for more. Rejects as soon as it is known that something could not be written. */
  write(events: readonly AgentEvent[]): Promise<readonly StoredEvent[]>;
  /** Resolves when everything is durable. */
  drain(): Promise<void>;
}

/** `onFailure` hears at once what `write` and `drain` would tell whoever comes next. */
export function createWriteBehind(
  log: Pick<TurnLog, "writeBehind">,
  onFailure: (error: CaretError) => void,
): WriteBehind {
  let batches = 0;
  let characters = 0;
  let failure: { readonly reason: unknown } | undefined;
  let newest: Promise<unknown> = Promise.resolve();

  const drain = async (): Promise<void> => {
    await newest;
    if (failure !== undefined) throw failure.reason;
  };

  return {
    async write(events) {
      if (failure !== undefined) throw failure.reason;
      const { events: written, durable } = log.writeBehind(events);
      const length = lengthOf(written);
      batches += 1;
      characters += length;
      newest = durable
        .catch((reason: unknown) => {
          if (failure === undefined) onFailure(CaretError.from(reason));
          failure ??= { reason };
        })
        .finally(() => {
          batches -= 1;
          characters -= length;
        });
      if (batches > MAX_BATCHES || characters > MAX_CHARACTERS) await drain();
      return written;
    },
    drain,
  };
}

function lengthOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, { event }) => sum + lengthOfEvent(event), 0);
}
