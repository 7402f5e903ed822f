import type { OpenAsk } from "@caret/runtime";

/** What a turn waits for, as gateways show it: sealed on its way, since a person decides about what was said. */
export interface ShownWaits {
  readonly asks: readonly OpenAsk[];
  /** The names of calls that wait for their client. */
  readonly calls: readonly string[];
}
