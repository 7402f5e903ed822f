/** What the searching thread is asked: some files, whole, and how many matches are still wanted. */
export interface GrepQuestion {
  readonly pattern: string;
  readonly flags: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly maxMatches: number;
}

export interface GrepAnswer {
  /** `path:line:text`, as ripgrep prints them. */
  readonly matches: readonly string[];
  /** There were more than were wanted. */
  readonly isCut: boolean;
}
