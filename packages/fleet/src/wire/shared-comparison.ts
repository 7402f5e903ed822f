import type { ComparisonView } from "@caret/protocol";

/** A comparison as it passes through the database, sealed. */
export interface SharedComparison {
  readonly view: ComparisonView;
  readonly user?: string;
}
