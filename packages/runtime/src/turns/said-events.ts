import type { AgentEvent } from "@caret/protocol";
import { CaretError } from "@caret/protocol";
import type { StoredEvent } from "../log/event-store.ts";

/** Far more than the secrets of any real turn. Anything beyond was sent live and cannot be sent again. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/**
 * Words of the agent and of its tools. All other events are ours (errors, notices) or unattributed (unknown lines) and are redacted for
 * all readers.
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
 * The original events of a running turn that the log keeps in redacted form: in memory only, and only while the turn can be followed.
 * Nearly every event is logged unchanged, so little is held.
 */
export interface SaidEvents {
  /** The form of an event that live listeners get; the log keeps `kept`. */
  shown(kept: AgentEvent, said: AgentEvent): AgentEvent;
  /** Remembers event `seq` if it was shown differently from how it is kept. */
  note(seq: number, kept: AgentEvent, shown: AgentEvent): void;
  /** Restores logged events to their original form. Throws `too-large` if the original was dropped. */
  restore(events: readonly StoredEvent[]): readonly StoredEvent[];
  /** The original of one event; undefined if it was logged unchanged or if the original was dropped. */
  find(seq: number): AgentEvent | undefined;
}

export function createSaidEvents(maxCharacters = MAX_CHARACTERS): SaidEvents {
  const said = new Map<number, AgentEvent>();
  /** Numbers of events whose originals were dropped. */
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
