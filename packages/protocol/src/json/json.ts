/** An unvalidated JSON object: check every field before use. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; returns `otherwise` for anything else. JSON itself has no `undefined`. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error quotes the text, which may hold a secret; each caller decides how to report invalid JSON.
    return otherwise;
  }
}
