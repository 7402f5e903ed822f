/** A row as a database gives it: input like any other, because rows outlive releases. */
export type Row = Readonly<Record<string, unknown>>;

/** SQLite has no booleans. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}

/** PostgreSQL's driver has parsed it already. */
export function jsonOf(value: unknown): Row {
  return typeof value === "string" ? JSON.parse(value) : (value as Row);
}
