import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { redactEvent } from "./redact-json.ts";
import type { TextRedactor } from "./text-redactor.ts";

/** The next events of a turn, twice: number for number the same events. One array where nothing was redacted. */
export interface RedactedBatch {
  /** For the log and for other readers. */
  readonly kept: readonly AgentEvent[];
  /** As they were said, for the client that asked and the person who decides. */
  readonly said: readonly AgentEvent[];
  /**
   * For each of them the index of the event it was made from; -1 for text that an earlier batch held back. Undefined where
   * they are the very events that were given.
   */
  readonly origins: readonly number[] | undefined;
}

export interface TurnRedactor {
  /**
   * Redact the next events of a turn. Gives back the same array when there was nothing to do.
   *
   * Deltas of one block are one text: its end is held back as long as it could be the beginning of a secret, and
   * comes with the block's next delta or in one of its own before the block ends.
   */
  redactEvents(events: readonly AgentEvent[]): RedactedBatch;
  /** What is held back now, by block or call. */
  readonly held: ReadonlyMap<string, Delta>;
}

type Delta = AgentEventOf<"text-delta" | "thinking-delta" | "tool-output">;

/** What is kept of an event, and the event itself: the same object where nothing was redacted. */
type Pair = readonly [kept: AgentEvent, said: AgentEvent];

export function createTurnRedactor(redactor: TextRedactor, heldBefore: TurnRedactor["held"] = new Map()): TurnRedactor {
  const held = new Map(heldBefore);

  const toPair = (delta: Delta, text: string): Pair => {
    const said = text === delta.text ? delta : { ...delta, text };
    const redacted = redactor.redactText(text);
    return redacted === text ? [said, said] : [{ ...delta, text: redacted }, said];
  };

  function redactDelta(delta: Delta): readonly Pair[] {
    const key = keyOf(delta);
    const before = held.get(key);
    const text = before === undefined ? delta.text : before.text + delta.text;
    const from = redactor.heldFrom(text);
    if (from < text.length) held.set(key, { ...delta, text: text.slice(from) });
    else held.delete(key);
    return from === 0 && text !== "" ? [] : [toPair(delta, text.slice(0, from))];
  }

  function release(key: string): readonly Pair[] {
    const delta = held.get(key);
    held.delete(key);
    return delta === undefined ? [] : [toPair(delta, delta.text)];
  }

  function redactNext(event: AgentEvent): readonly Pair[] {
    switch (event.type) {
      case "text-delta":
      case "thinking-delta":
      case "tool-output":
        return redactDelta(event);
      case "text-end":
      case "thinking-end":
        return [...release(keyOf(event)), [event, event]];
      case "tool-result":
        return [...release(keyOf(event)), [redactEvent(event, redactor.redactText), event]];
      default:
        return [[redactEvent(event, redactor.redactText), event]];
    }
  }

  return {
    held,
    redactEvents(events) {
      if (held.size === 0 && events.every((event) => isPlainDelta(event, redactor)))
        return { kept: events, said: events, origins: undefined };
      const pairs: Pair[] = [];
      const origins: number[] = [];
      for (const [index, event] of events.entries()) {
        const made = redactNext(event);
        // The last is the event itself; what comes before it was held back.
        made.forEach((pair, place) => {
          pairs.push(pair);
          origins.push(place === made.length - 1 ? index : -1);
        });
      }
      const isUnaltered = isSame(events, pairs);
      const said = isUnaltered ? events : pairs.map(([, event]) => event);
      const isPlain = pairs.every(([kept, event]) => kept === event);
      return {
        kept: isPlain ? said : pairs.map(([event]) => event),
        said,
        origins: isUnaltered ? undefined : origins,
      };
    },
  };
}

function isPlainDelta(event: AgentEvent, { isPlain }: TextRedactor): boolean {
  const isDelta = event.type === "text-delta" || event.type === "thinking-delta" || event.type === "tool-output";
  return isDelta && isPlain(event.text);
}

function keyOf(event: { readonly blockId: string } | { readonly callId: string }): string {
  return "blockId" in event ? `block ${event.blockId}` : `call ${event.callId}`;
}

function isSame(events: readonly AgentEvent[], pairs: readonly Pair[]): boolean {
  return events.length === pairs.length && events.every((event, index) => event === pairs[index]?.[1]);
}
