import type { AgentEvent } from "@caret/protocol";
import type { EventEntry } from "../log/event-store.ts";
import { CUT_MARGIN, type Redactor } from "../redaction/redactor.ts";

export interface RawLinesOptions {
  readonly redactor: () => Redactor;
  readonly maxRawBytes: number;
}

/** The upstream lines behind events that are about to be written. */
export interface RawLines {
  note(event: AgentEvent, line: string): void;
  /**
   * The lines of a batch of events, by the place of what was made of them in `said`. Undefined when there are none.
   * Forgets them.
   */
  take(
    events: readonly AgentEvent[],
    said: readonly AgentEvent[],
  ): ((index: number) => Pick<EventEntry, "raw" | "rawCut">) | undefined;
}

export function createRawLines({ redactor, maxRawBytes }: RawLinesOptions): RawLines {
  let noted = new Map<AgentEvent, string>();

  const toKept = (line: string): Pick<EventEntry, "raw" | "rawCut"> => {
    const kept = redactor()
      .redactText(line.slice(0, maxRawBytes + CUT_MARGIN))
      .slice(0, maxRawBytes);
    return line.length > maxRawBytes ? { raw: kept, rawCut: true } : { raw: kept };
  };

  return {
    note: (event, line) => void noted.set(event, line),
    take(events, said) {
      if (noted.size === 0) return undefined;
      const lines = noted;
      noted = new Map();
      // Redaction keeps order and number except where it holds a delta back, and deltas have no raw line of their own.
      const origins = said === events ? events : events.filter((event) => lines.has(event));
      return (index) => {
        const event = said[index];
        const origin = event === undefined ? undefined : originOf(event, origins);
        const line = origin === undefined ? undefined : lines.get(origin);
        return line === undefined ? {} : toKept(line);
      };
    },
  };
}

/** The event that one was made from: itself, or one of the same type and subject when a part was left out. */
function originOf(event: AgentEvent, origins: readonly AgentEvent[]): AgentEvent | undefined {
  if (origins.includes(event)) return event;
  return origins.find((origin) => origin.type === event.type && subjectOf(origin) === subjectOf(event));
}

function subjectOf(event: AgentEvent): string {
  if ("callId" in event) return event.callId ?? "";
  return "blockId" in event ? event.blockId : "";
}
