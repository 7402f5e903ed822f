import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { redactEvent } from "./redact-event.ts";
import type { TextRedactor } from "./text-redactor.ts";

export interface TurnRedactor {
  /**
   * Redact the next events of a turn. Gives back the same array when there was nothing to do.
   *
   * Deltas of one block are one text: its end is held back as long as it could be the beginning of a secret, and
   * comes with the block's next delta or in one of its own before the block ends.
   */
  redactEvents(events: readonly AgentEvent[]): readonly AgentEvent[];
  /** What is held back now, by block or call. */
  readonly held: ReadonlyMap<string, Delta>;
}

type Delta = AgentEventOf<"text-delta" | "thinking-delta" | "tool-output">;

export function createTurnRedactor(redactor: TextRedactor, heldBefore: TurnRedactor["held"] = new Map()): TurnRedactor {
  const held = new Map(heldBefore);

  function redactDelta(delta: Delta): readonly AgentEvent[] {
    const key = keyOf(delta);
    const before = held.get(key);
    const text = before === undefined ? delta.text : before.text + delta.text;
    const from = redactor.heldFrom(text);
    if (from < text.length) held.set(key, { ...delta, text: text.slice(from) });
    else held.delete(key);
    const redacted = redactor.redactText(text.slice(0, from));
    if (redacted === delta.text) return [delta];
    return redacted === "" ? [] : [{ ...delta, text: redacted }];
  }

  function release(key: string): readonly AgentEvent[] {
    const delta = held.get(key);
    held.delete(key);
    return delta === undefined ? [] : [{ ...delta, text: redactor.redactText(delta.text) }];
  }

  function redactNext(event: AgentEvent): readonly AgentEvent[] {
    switch (event.type) {
      case "text-delta":
      case "thinking-delta":
      case "tool-output":
        return redactDelta(event);
      case "text-end":
      case "thinking-end":
        return [...release(keyOf(event)), event];
      case "tool-result":
        return [...release(keyOf(event)), redactEvent(event, redactor.redactText)];
      default:
        return [redactEvent(event, redactor.redactText)];
    }
  }

  return {
    held,
    redactEvents(events) {
      if (held.size === 0 && events.every((event) => isPlainDelta(event, redactor))) return events;
      const redacted = events.flatMap(redactNext);
      return isSame(events, redacted) ? events : redacted;
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

function isSame(events: readonly AgentEvent[], redacted: readonly AgentEvent[]): boolean {
  return events.length === redacted.length && events.every((event, index) => event === redacted[index]);
}
