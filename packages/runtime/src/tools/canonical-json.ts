/** A value as JSON with every object's keys in order, so that two writings of the same arguments are one text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) => (isRecord(field) ? sorted(field) : field)) ?? "undefined";
}

function sorted(record: Readonly<Record<string, unknown>>): unknown {
  const entries = Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
