import { type PriceRow, priceOf } from "@caret/protocol";
import type { Config } from "./config-schema.ts";
import type { KeyTraits } from "./key-names.ts";

const figures = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** A key's value with and without the project's file. */
export interface ProjectChoice {
  readonly limit: NonNullable<KeyTraits["project"]>;
  readonly own: unknown;
  readonly chosen: unknown;
  /** The configuration without the project's file. */
  readonly config: Config;
}

/** Why a project's choice does not narrow the user's; undefined if it does. */
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

/** An entry of `models` is a program with its own approvals, so it is refused; any other model must be known to cost no more. */
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

/** Treats an unknown price as unbounded. */
function costsNoMore(then: Prices, now: Prices): boolean {
  return figures.every((figure) => (then[figure] ?? Number.POSITIVE_INFINITY) <= (now[figure] ?? 0));
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
