import type { Figure } from "../figures/figure.ts";
import type { Series } from "../figures/series.ts";

/** How a cost grows: the points, and what is judged about them. */
export interface Growth {
  readonly series: readonly Series[];
  readonly figures: readonly Figure[];
}
