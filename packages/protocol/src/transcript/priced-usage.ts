import { costOf } from "../models/prices.ts";
import type { Usage } from "../usage/usage.ts";
import type { TranscriptTurn } from "./transcript.ts";

/** What a turn consumed, with its cost where that is known: upstream's own figure, else by the list price of its model. */
export function pricedUsage({ usage, start, ready }: Pick<TranscriptTurn, "usage" | "start" | "ready">): Usage {
  if (usage === undefined) return {};
  const names = [start?.model, ready?.model].filter((name) => name !== undefined);
  const cost = names.map((name) => costOf(usage, name)).find((dollars) => dollars !== undefined) ?? usage.cost;
  return cost === undefined ? usage : { ...usage, cost };
}
