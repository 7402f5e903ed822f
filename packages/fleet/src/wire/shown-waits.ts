import type { OpenAsk } from "@caret/runtime";

/** What a turn waits for, as gateways show it. Sealed in transit, since a person decides on what was actually said. */
export interface ShownWaits {
  readonly asks: readonly OpenAsk[];
  /** Names of the parked calls. */
  readonly calls: readonly string[];
}
