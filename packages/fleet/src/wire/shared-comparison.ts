import type { ComparisonView } from "@caret/protocol";

/** A comparison as sealed in the database. */
export interface SharedComparison {
  readonly view: ComparisonView;
  readonly user?: string;
}
