import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { costOf, usageSchema } from "@caret/protocol";

/** What one row of `turn_usage` cost, or null: each turn is priced for itself, as the page and the terminal price it. */
export const costSql = "cost_of(model, input, output, cache_read, cache_write, cost)";

/** Teaches this connection the function of `costSql`. */
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
