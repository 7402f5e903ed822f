import { type PriceRow, priceOf } from "@caret/protocol";
import type { Config } from "./config-schema.ts";
import type { KeyTraits } from "./key-names.ts";

const figures = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** One key as a project's file would have it, and as it is without that file. */
export interface ProjectChoice {
  readonly limit: NonNullable<KeyTraits["project"]>;
  readonly own: unknown;
  readonly chosen: unknown;
  /** The configuration without the project's file. */
  readonly config: Config;
}

/** Why a choice of a project's file is not narrower than what the user has; undefined when it is. */
export function widening(choice: ProjectChoice): string | undefined {
  const { limit, own, chosen } = choice;
  if (chosen === own) return undefined;
  if (limit === "lower") return isLower(chosen, own) ? undefined : `it may only be less than ${shown(own)} here`;
  if (limit === "cheaper") return dearer(choice);
  const allowed = limit.slice(limit.indexOf(String(own)));
  return allowed.includes(String(chosen)) ? undefined : `it may only be ${allowed.map(shown).join(" or ")} here`;
}

function isLower(chosen: unknown, own: unknown): boolean {
  return typeof chosen === "number" && typeof own === "number" && chosen < own;
}

/** An entry of `models` is a program with approvals of its own; any other model must be known not to cost more. */
function dearer({ own, chosen, config }: ProjectChoice): string | undefined {
  if (Object.hasOwn(config.models, String(chosen))) return "it may not be an entry of your `models`";
  const [now, then] = [priceOf(String(own)), priceOf(String(chosen))];
  const isCheaper =
    now !== undefined &&
    then !== undefined &&
    costsNoMore(then, now) &&
    costsNoMore(then.longPrompt ?? then, now.longPrompt ?? now);
  return isCheaper ? undefined : `it may only be ${shown(own)}, or a model that is known to cost no more`;
}

type Prices = Pick<PriceRow, (typeof figures)[number]>;

/** A price that is not known may be any. */
function costsNoMore(then: Prices, now: Prices): boolean {
  return figures.every((figure) => (then[figure] ?? Number.POSITIVE_INFINITY) <= (now[figure] ?? 0));
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
