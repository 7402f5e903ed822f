/** What a benchmark has to say: for a person, for a program, and whether all is as it should be. */
export interface BenchOutcome {
  readonly passed: boolean;
  readonly table: string;
  readonly report: object;
}
