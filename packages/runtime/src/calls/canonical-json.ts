import { isJsonObject, type JsonObject } from "@caret/protocol";
/** JSON with every object's keys sorted, so different spellings of the same arguments give the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) => (isJsonObject(field) ? sorted(field) : field)) ?? "undefined";
}

function sorted(record: JsonObject): unknown {
  const entries = Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}
