/** A database row: untrusted like any other input, because rows outlive releases. */
export type Row = Readonly<Record<string, unknown>>;

/** SQLite has no booleans. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}

/** PostgreSQL's driver has already parsed it. */
export function jsonOf(value: unknown): Row {
  return typeof value === "string" ? JSON.parse(value) : (value as Row);
}
