import type { PiModel } from "./pi-extension.ts";

/** What Pi itself assumes of a model that does not say. */
const ASSUMED = { contextWindow: 128_000, maxTokens: 16_384 };
/** Pi has no word for a price that is not known. */
const NO_PRICE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** One model of `GET /v1/models`, as far as it is used here. */
interface ListedModel {
  readonly id: string;
  readonly name?: string;
  readonly variants?: readonly unknown[];
  readonly context_window?: number;
  readonly images?: boolean;
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
}

/** What the gateway answers to `GET /v1/models`, in Pi's words. */
export function toPiModels(answer: unknown): readonly PiModel[] {
  const { data } = answer as { readonly data: readonly ListedModel[] };
  return data.map(({ id, name, variants, context_window: contextWindow, images, cost }) => ({
    id,
    name: name ?? id,
    // Pi then asks for an effort, and Caret picks the variant that has it.
    reasoning: variants !== undefined,
    input: images === false ? ["text"] : ["text", "image"],
    cost:
      cost === undefined
        ? NO_PRICE
        : { input: cost.input, output: cost.output, cacheRead: cost.cache_read, cacheWrite: cost.cache_write },
    contextWindow: contextWindow ?? ASSUMED.contextWindow,
    maxTokens: Math.min(ASSUMED.maxTokens, contextWindow ?? ASSUMED.maxTokens),
  }));
}

/** Without a list there is still the model that every account has. */
export const onlyAuto: readonly PiModel[] = toPiModels({ data: [{ id: "auto", name: "Auto" }] });
