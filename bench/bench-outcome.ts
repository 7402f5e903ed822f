import type { ServedDoor } from "./doors/serve-door.ts";
import type { Figure } from "./figures/figure.ts";
import type { Series } from "./figures/series.ts";

/** What the command line asks of a benchmark. */
export interface BenchOptions {
  /** Fewer rounds: good enough to see what is far off. */
  readonly quick: boolean;
  /** As large as the bars say, where that takes long. */
  readonly full: boolean;
  readonly rounds: number;
  /** The names of measurements; none means all. */
  readonly only: readonly string[];
  readonly targets: readonly ServedDoor[];
  readonly serveArgs: readonly string[];
}

/** What a benchmark has to say: for people, for programs, and whether every bar is met. */
export interface BenchOutcome {
  readonly passed: boolean;
  readonly table: string;
  readonly report: object;
  /** Those that are compared with the committed ones and shown in the report. */
  readonly figures: readonly Figure[];
  readonly series: readonly Series[];
}
