import type { BuiltPrograms } from "./build-programs.ts";
import type { ServedDoor } from "./serve-door.ts";

/** What every figure is measured with. */
export interface BenchSetting extends BuiltPrograms {
  /** Where data and workspaces are made. */
  readonly directory: string;
  /** How many rounds count; one more before them warms the servers up. */
  readonly rounds: number;
  /** Other gateways, which the user of the bench has started. */
  readonly targets: readonly ServedDoor[];
  /** More arguments for `caret serve`. */
  readonly serveArgs: readonly string[];
}
