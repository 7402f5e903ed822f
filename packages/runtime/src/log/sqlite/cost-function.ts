import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { costOf, usageSchema } from "@caret/protocol";

/** Cost of one `turn_usage` row, or null: each turn is priced on its own, as on the page and in the terminal. */
export const costSql = "cost_of(model, input, output, cache_read, cache_write, cost)";

/** Registers the function used by `costSql` on this connection. */
export function addCostFunction(database: DatabaseSync): void {
  database.function("cost_of", { deterministic: true }, costOfRow);
}

function costOfRow(
  model: SQLOutputValue,
  input: SQLOutputValue,
  output: SQLOutputValue,
  cacheRead: SQLOutputValue,
  cacheWrite: SQLOutputValue,
  cost: SQLOutputValue,
): number | null {
  if (cost !== null) return Number(cost);
  if (model === null) return null;
  const counts = Object.entries({ input, output, cacheRead, cacheWrite }).filter(([, count]) => count !== null);
  return costOf(usageSchema.parse(Object.fromEntries(counts)), String(model)) ?? null;
}
