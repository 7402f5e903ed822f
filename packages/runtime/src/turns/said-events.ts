import type { AgentEvent } from "@caret/protocol";
import { CaretError } from "@caret/protocol";
import type { StoredEvent } from "../log/event-store.ts";

/** Much more than the secrets of any real turn. What is beyond it was sent live, and cannot be sent again. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/**
 * Words of the agent and of its tools. The others are ours (errors, notices) or nobody's (unknown lines): they are
 * redacted for all readers.
 */
const saidTypes: ReadonlySet<AgentEvent["type"]> = new Set([
  "text-delta",
  "thinking-delta",
  "tool-call",
  "tool-output",
  "tool-result",
  "question",
  "plan",
  "todos",
  "approval-request",
]);

/**
 * The events of a running turn as they were said, where the log keeps a redacted form: in memory only, and only while
 * the turn can be followed. Nearly every event is kept as it was said, so there is little to hold.
 */
export interface SaidEvents {
  /** What live listeners are sent of an event, of which the log keeps `kept`. */
  shown(kept: AgentEvent, said: AgentEvent): AgentEvent;
  /** Remembers an event that was written as number `seq`, where it was shown otherwise than it is kept. */
  note(seq: number, kept: AgentEvent, shown: AgentEvent): void;
  /** Events of the log as they were said. Throws `too-large` where that is no longer known. */
  restore(events: readonly StoredEvent[]): readonly StoredEvent[];
  /** The same for one event; undefined where it is kept as it was said, or where that is no longer known. */
  find(seq: number): AgentEvent | undefined;
}

export function createSaidEvents(maxCharacters = MAX_CHARACTERS): SaidEvents {
  const said = new Map<number, AgentEvent>();
  /** Events that were said otherwise than they are kept, and are forgotten. */
  const forgotten = new Set<number>();
  let characters = 0;

  const restoreOne = (stored: StoredEvent): StoredEvent => {
    if (forgotten.has(stored.seq)) throw tooLarge();
    const event = said.get(stored.seq);
    return event === undefined ? stored : { ...stored, event };
  };

  return {
    shown: (kept, event) => (kept === event || saidTypes.has(event.type) ? event : kept),
    note(seq, kept, event) {
      if (kept === event) return;
      const length = JSON.stringify(event).length;
      if (characters + length > maxCharacters) forgotten.add(seq);
      else {
        characters += length;
        said.set(seq, event);
      }
    },
    restore(events) {
      if (said.size === 0 && forgotten.size === 0) return events;
      return events.some(({ seq }) => said.has(seq) || forgotten.has(seq)) ? events.map(restoreOne) : events;
    },
    find: (seq) => said.get(seq),
  };
}

function tooLarge(): CaretError {
  return new CaretError("too-large", "This answer holds too many secrets to be given a second time", {
    fix: "Ask again, and read the answer as it comes.",
  });
}
