/** A JSON object as it came: every field is to be checked before it is used. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or `otherwise` where it is not JSON; JSON itself has no `undefined`. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's reason quotes the text, which may hold a secret; each caller says what a string that is not JSON means.
    return otherwise;
  }
}
