import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { createPacedSearch } from "./paced-search.ts";
import { redactEvent } from "./redact-json.ts";
import { contextOf, type TextRedactor } from "./text-redactor.ts";

/** The next events of a turn, twice: number for number the same events. One array where nothing was redacted. */
export interface RedactedBatch {
  /** For the log and for other readers. */
  readonly kept: readonly AgentEvent[];
  /** Unredacted, for the client that asked and the person who decides. */
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
  /** Whether there is nothing to do with the next delta; `note` must follow where it is taken as it is. */
  isPlain(delta: Delta): boolean;
  /** Takes note of a delta that is plain. */
  note(delta: Delta): void;
  /** What is held back now, by block or call. */
  readonly held: ReadonlyMap<string, Delta>;
  /** The end of what was let go of each, as it is kept: what follows is matched together with it. */
  readonly before: ReadonlyMap<string, string>;
}

type Delta = AgentEventOf<"text-delta" | "thinking-delta" | "tool-output">;

/** What is kept of an event, and the event itself: the same object where nothing was redacted. */
type Pair = readonly [kept: AgentEvent, said: AgentEvent];

export function createTurnRedactor(
  redactor: TextRedactor,
  earlier?: Pick<TurnRedactor, "held" | "before">,
): TurnRedactor {
  const held = new Map(earlier?.held);
  const before = new Map(earlier?.before);
  const search = createPacedSearch(redactor);

  const toPair = (key: string, delta: Delta, text: string): Pair => {
    const said = text === delta.text ? delta : { ...delta, text };
    const context = before.get(key) ?? "";
    const redacted = redactor.redactAfter(context, text);
    before.set(key, contextOf(context, redacted));
    return redacted === text ? [said, said] : [{ ...delta, text: redacted }, said];
  };

  function redactDelta(delta: Delta): readonly Pair[] {
    const key = keyOf(delta);
    const waiting = held.get(key);
    const text = waiting === undefined ? delta.text : waiting.text + delta.text;
    const from = search.heldFrom(key, text, before.get(key) ?? "");
    if (from < text.length) held.set(key, { ...delta, text: text.slice(from) });
    else held.delete(key);
    return from === 0 && text !== "" ? [] : [toPair(key, delta, text.slice(0, from))];
  }

  function release(key: string): readonly Pair[] {
    const delta = held.get(key);
    held.delete(key);
    const pairs = delta === undefined ? [] : [toPair(key, delta, delta.text)];
    before.delete(key);
    search.forget(key);
    return pairs;
  }

  const isPlain = (delta: Delta): boolean =>
    held.size === 0 && redactor.isPlain(delta.text, before.get(keyOf(delta)) ?? "");

  const note = (delta: Delta): void => {
    const key = keyOf(delta);
    before.set(key, contextOf(before.get(key) ?? "", delta.text));
  };

  /** True of a delta with which nothing has to be done; it is then taken note of. */
  function passes(event: AgentEvent | undefined): boolean {
    if (event === undefined || !isDelta(event) || !isPlain(event)) return false;
    note(event);
    return true;
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
    before,
    isPlain,
    note,
    redactEvents(events) {
      let passed = 0;
      while (passed < events.length && passes(events[passed])) passed += 1;
      if (passed === events.length) return { kept: events, said: events, origins: undefined };
      return toBatch(events, [
        ...events.slice(0, passed).map((event): readonly Pair[] => [[event, event]]),
        ...events.slice(passed).map(redactNext),
      ]);
    },
  };
}

/** `made` is what was made of each event: the last is the event itself, what comes before it was held back. */
function toBatch(events: readonly AgentEvent[], made: readonly (readonly Pair[])[]): RedactedBatch {
  const pairs = made.flat();
  const isUnaltered = isSame(events, pairs);
  const said = isUnaltered ? events : pairs.map(([, event]) => event);
  const isPlain = pairs.every(([kept, event]) => kept === event);
  return {
    kept: isPlain ? said : pairs.map(([event]) => event),
    said,
    origins: isUnaltered
      ? undefined
      : made.flatMap((each, index) => each.map((_, place) => (place === each.length - 1 ? index : -1))),
  };
}

function isDelta(event: AgentEvent): event is Delta {
  return event.type === "text-delta" || event.type === "thinking-delta" || event.type === "tool-output";
}

/** Ids of blocks are ours, `text-1`, and none is like this of a call; joining strings for each delta would cost more than the search. */
function keyOf(event: { readonly blockId: string } | { readonly callId: string }): string {
  return "blockId" in event ? event.blockId : `call ${event.callId}`;
}

function isSame(events: readonly AgentEvent[], pairs: readonly Pair[]): boolean {
  return events.length === pairs.length && events.every((event, index) => event === pairs[index]?.[1]);
}
