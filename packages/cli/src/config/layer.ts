import type { ConfigProblem, ConfigSource } from "./config-source.ts";

/** What one source says: the good values by key, and what is wrong with the others. */
export interface Layer {
  readonly source: ConfigSource;
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly ConfigProblem[];
}
