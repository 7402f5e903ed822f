import type { AgentEvent, Secret } from "@caret/protocol";
import { redactEvent, redactJson } from "./redact-json.ts";
import { createTextRedactor } from "./text-redactor.ts";
import { createTurnRedactor, type TurnRedactor } from "./turn-redactor.ts";

/** Redact this much more of a text than is kept of it, so that a secret across the cut is known for one. */
export const CUT_MARGIN = 8_192;

/**
 * The one place where secrets are taken out, before anything is logged, stored, exported or sent in an error.
 *
 * Known values go in every common spelling, even split over chunks. What merely looks like a secret goes when it
 * stands in one piece; a token with a telling beginning (`sk-`, `ghp_`, `eyJ`) also when it is split after that.
 */
export interface Redactor {
  redactText(text: string): string;
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
    redactValue: (value) => redactJson(value, redactText),
    redactEvent: (event) => redactEvent(event, redactText),
    forTurn: (before) => createTurnRedactor(text, before?.held),

    async *redactStream(chunks) {
      let held = "";
      for await (const chunk of chunks) {
        const all = held + chunk;
        const from = text.heldFrom(all);
        held = all.slice(from);
        if (from > 0) yield redactText(all.slice(0, from));
      }
      if (held !== "") yield redactText(held);
    },
  };
}
