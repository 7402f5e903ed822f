import { z } from "zod";

const count = z.number().int().nonnegative();

/**
 * A turn's consumption as upstream reported it. A count that was not reported is absent, never a made-up zero. `input` excludes tokens read
 * from or written to the cache.
 */
export const usageSchema = z.object({
  input: count.optional(),
  output: count.optional(),
  cacheRead: count.optional(),
  cacheWrite: count.optional(),
  reasoning: count.optional(),
  /** US dollars, only if upstream itself gave a price. */
  cost: z.number().nonnegative().optional(),
});

export type Usage = Readonly<z.infer<typeof usageSchema>>;

/** A count reported by neither stays absent. */
export function addUsage(sum: Usage, more: Usage): Usage;
export function addUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined;
export function addUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (sum === undefined || more === undefined) return sum ?? more;
  const names = (Object.keys(usageSchema.shape) as (keyof Usage)[]).filter(
    (name) => sum[name] !== undefined || more[name] !== undefined,
  );
  return Object.fromEntries(names.map((name) => [name, (sum[name] ?? 0) + (more[name] ?? 0)]));
}
