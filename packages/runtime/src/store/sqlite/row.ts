/** A row as SQLite gives it: input like any other, because rows outlive releases. */
export type Row = Readonly<Record<string, unknown>>;
