import type { AgentEvent, Secret } from "@caret/protocol";
import { createPacedSearch } from "./paced-search.ts";
import { redactEvent, redactJson } from "./redact-json.ts";
import { contextOf, createTextRedactor } from "./text-redactor.ts";
import { createTurnRedactor, type TurnRedactor } from "./turn-redactor.ts";

/** Redact this much more of a string than is kept of it, so that a secret across the cut is known for one. */
export const CUT_MARGIN = 8_192;

/**
 * Removes secrets from everything that is logged, stored, exported or sent in an error.
 *
 * Known values go in every common spelling; what merely looks like a secret goes by its beginning (`sk-`, `ghp_`, `eyJ`), its
 * name or its place. All of them also when they are split over chunks.
 */
export interface Redactor {
  redactText(text: string): string;
  /** The first `length` characters of a redacted text, of which no more is looked at than has to be. */
  redactStart(text: string, length: number): string;
  /** Every text in a JSON value, keys included. The same value when there was nothing to redact. */
  redactValue<Value>(value: Value): Value;
  redactStream(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined>;
  /** One event that stands for itself. */
  redactEvent(event: AgentEvent): AgentEvent;
  /**
   * For the events of one turn as they come: it remembers what it holds back. `before` served the turn until now, with
   * fewer secrets; what it holds back goes on here.
   */
  forTurn(before?: TurnRedactor): TurnRedactor;
}

export function createRedactor({ secrets }: { readonly secrets: readonly Secret[] }): Redactor {
  const text = createTextRedactor(secrets);
  const { redactText } = text;

  return {
    redactText,
    redactStart(whole, length) {
      const read = whole.slice(0, length + CUT_MARGIN);
      // Redaction makes texts shorter and brings the end nearer, where a secret may be cut in two.
      const end = read.length < whole.length ? text.heldFrom(read, "") : read.length;
      return redactText(read.slice(0, end)).slice(0, length);
    },
    redactValue: (value) => redactJson(value, redactText),
    redactEvent: (event) => redactEvent(event, redactText),
    forTurn: (before) => createTurnRedactor(text, before),

    async *redactStream(chunks) {
      const search = createPacedSearch(text);
      let held = "";
      let before = "";
      const redact = (piece: string): string => {
        const redacted = text.redactAfter(before, piece);
        before = contextOf(before, redacted);
        return redacted;
      };
      for await (const chunk of chunks) {
        const all = held + chunk;
        const from = search.heldFrom("", all, before);
        held = all.slice(from);
        if (from > 0) yield redact(all.slice(0, from));
      }
      if (held !== "") yield redact(held);
    },
  };
}
