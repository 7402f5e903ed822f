import { formatTokens } from "../usage/usage-words.ts";
import { parseModelSlug } from "./model-params.ts";
import { poolOf, priceOf } from "./prices.ts";

/**
 * What a turn with this model draws from and costs, shown before it is spent: `Other Models`, `fast`, `Max mode`, `$5 in, $30 out per
 * million tokens`. Unknown prices are labelled as unknown.
 */
export function spendWords(modelId: string, { maxMode }: { readonly maxMode?: true } = {}): readonly string[] {
  const { params } = parseModelSlug(modelId.toLowerCase());
  return [
    `pool: ${poolOf(modelId)}`,
    ...(params.fast === true ? ["fast"] : []),
    ...(maxMode === true ? ["Max mode"] : []),
    ...priceWords(modelId),
  ];
}

function priceWords(modelId: string): readonly string[] {
  const price = priceOf(modelId);
  if (price === undefined) return ["price unknown"];
  const { input, output, longPrompt } = price;
  const plain = `$${input} in, $${output} out per million tokens`;
  if (longPrompt === undefined) return [plain];
  return [plain, `$${longPrompt.input} in, $${longPrompt.output} out above ${formatTokens(longPrompt.above)}`];
}
