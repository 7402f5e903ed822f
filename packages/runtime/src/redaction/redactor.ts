import type { AgentEvent, Secret } from "@caret/protocol";
import { createPacedSearch } from "./paced-search.ts";
import { redactEvent, redactJson } from "./redact-json.ts";
import { contextOf, createTextRedactor } from "./text-redactor.ts";
import { createTurnRedactor, type TurnRedactor } from "./turn-redactor.ts";

/** Extra length redacted beyond what is kept of a string, so a secret across the cut is recognised. */
export const CUT_MARGIN = 8_192;

/**
 * Removes secrets from everything that is logged, stored, exported or sent in an error.
 *
 * Known values are removed in every common spelling; values that merely look secret are recognised by prefix (`sk-`, `ghp_`, `eyJ`), name
 * or context. All of this also works across chunks.
 */
export interface Redactor {
  redactText(text: string): string;
  /** The first `length` characters of a redacted text, examining no more of it than necessary. */
  redactStart(text: string, length: number): string;
  /** Every text in a JSON value, keys included. Returns the same value if nothing was redacted. */
  redactValue<Value>(value: Value): Value;
  redactStream(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined>;
  /** One self-contained event. */
  redactEvent(event: AgentEvent): AgentEvent;
  /**
   * For the events of one turn as they arrive: remembers what it holds back. `before` is the turn's previous redactor, which knew fewer
   * secrets; what it holds back continues here.
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
      // Redaction shortens text and so moves the end, where a secret may be cut in two, closer.
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
