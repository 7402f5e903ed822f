import { costOf } from "../models/prices.ts";
import type { Usage } from "../usage/usage.ts";
import type { TranscriptTurn } from "./transcript.ts";

/** A turn's usage with its cost if known: upstream's own figure, else its model's list price. */
export function pricedUsage({ usage, start, ready }: Pick<TranscriptTurn, "usage" | "start" | "ready">): Usage {
  if (usage === undefined) return {};
  const names = [start?.model, ready?.model].filter((name) => name !== undefined);
  const cost = names.map((name) => costOf(usage, name)).find((dollars) => dollars !== undefined) ?? usage.cost;
  return cost === undefined ? usage : { ...usage, cost };
}
