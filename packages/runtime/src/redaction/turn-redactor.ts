import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { createPacedSearch } from "./paced-search.ts";
import { redactEvent } from "./redact-json.ts";
import { contextOf, type TextRedactor } from "./text-redactor.ts";

/** The next events of a turn in two forms, matching one to one. The same array if nothing was redacted. */
export interface RedactedBatch {
  /** For the log and other readers. */
  readonly kept: readonly AgentEvent[];
  /** Unredacted, for the requesting client and the person who decides. */
  readonly said: readonly AgentEvent[];
  /**
   * For each, the index of its source event; -1 for text held back by an earlier batch. Undefined if they are the given events themselves.
   */
  readonly origins: readonly number[] | undefined;
}

export interface TurnRedactor {
  /**
   * Redacts the next events of a turn. Returns the same array if nothing changed.
   *
   * Deltas of one block are one text: its end is held back as long as it could begin a secret, and released with the block's next delta or
   * in a separate one before the block ends.
   */
  redactEvents(events: readonly AgentEvent[]): RedactedBatch;
  /** Whether the next delta can pass unchanged; if it does, call `note`. */
  isPlain(delta: Delta): boolean;
  /** Records a plain delta that was passed on. */
  note(delta: Delta): void;
  /** What is currently held back, by block or call. */
  readonly held: ReadonlyMap<string, Delta>;
  /** The redacted end of what was released of each: matched together with what follows. */
  readonly before: ReadonlyMap<string, string>;
}

type Delta = AgentEventOf<"text-delta" | "thinking-delta" | "tool-output">;

/** The logged form of an event and the event itself: the same object if nothing was redacted. */
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

  /** True for a delta that can pass unchanged, which it then notes. */
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

/** `made` lists the results for each event: the last one is the event itself, those before it had been held back. */
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

/** Block ids are ours (`text-1`) and cannot collide with a call's key; joining strings for each delta would cost more than the search. */
function keyOf(event: { readonly blockId: string } | { readonly callId: string }): string {
  return "blockId" in event ? event.blockId : `call ${event.callId}`;
}

function isSame(events: readonly AgentEvent[], pairs: readonly Pair[]): boolean {
  return events.length === pairs.length && events.every((event, index) => event === pairs[index]?.[1]);
}
