import type { RunningTurn } from "@caret/runtime";
import type { ShownWaits } from "../wire/shown-waits.ts";

export function waitsOf({ asks, parked }: RunningTurn): ShownWaits {
  return { asks: asks.open(), calls: (parked?.open() ?? []).map(({ name }) => name) };
}

export function isWaiting({ asks, calls }: ShownWaits): boolean {
  return asks.length > 0 || calls.length > 0;
}
