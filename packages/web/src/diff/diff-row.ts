/** One line of a diff as it is shown. */
export interface DiffRow {
  readonly kind: "hunk" | "context" | "add" | "remove";
  readonly text: string;
  readonly oldLine?: number;
  readonly newLine?: number;
  /** The part that differs from the line it replaced: from one column up to another. */
  readonly emphasis?: readonly [from: number, to: number];
}
