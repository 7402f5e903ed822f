import type { OpenAsk, RunningTurn } from "@caret/runtime";

/** What a turn waits for, as gateways show it: sealed on its way, since a person decides about what was said. */
export interface ShownWaits {
  readonly asks: readonly OpenAsk[];
  /** The names of calls that wait for their client. */
  readonly calls: readonly string[];
}

export function waitsOf({ asks, parked }: RunningTurn): ShownWaits {
  return { asks: asks.open(), calls: (parked?.open() ?? []).map(({ name }) => name) };
}

export function isWaiting({ asks, calls }: ShownWaits): boolean {
  return asks.length > 0 || calls.length > 0;
}
