import { isJsonObject, type JsonObject } from "@caret/protocol";

const textNames = [
  "error",
  "errorMessage",
  "modelVisibleError",
  "clientVisibleError",
  "reason",
  "message",
  "detail",
  "description",
] as const;

/** The message of an error of any shape: a string, an object with a message, a nested object. */
export function readErrorText(value: unknown, depth = 3): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (!isJsonObject(value) || depth === 0) return undefined;
  const direct = wordField(value, ...textNames);
  if (direct !== undefined) return direct;
  for (const name of textNames) {
    const nested = readErrorText(value[name], depth - 1);
    if (nested !== undefined) return nested;
  }
  return wordField(value as JsonObject, "code", "type", "name");
}

/** Readers of single fields that may be missing, of the wrong type, or numbers written as strings (64-bit ints are). */

export function textField(value: JsonObject | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const field = value?.[name];
    if (typeof field === "string") return field;
  }
  return undefined;
}

/** Like `textField`, but an empty string counts as absent. */
export function wordField(value: JsonObject | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const field = value?.[name];
    if (typeof field === "string" && field !== "") return field;
  }
  return undefined;
}

export function numberField(value: JsonObject | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const field = value?.[name];
    const number = typeof field === "string" && field.trim() !== "" ? Number(field) : field;
    if (typeof number === "number" && Number.isFinite(number)) return number;
  }
  return undefined;
}

export function objectField(value: JsonObject | undefined, ...names: readonly string[]): JsonObject | undefined {
  for (const name of names) {
    const field = value?.[name];
    if (isJsonObject(field)) return field;
  }
  return undefined;
}

export function arrayField(value: JsonObject | undefined, name: string): readonly unknown[] {
  const field = value?.[name];
  return Array.isArray(field) ? field : [];
}

export function objectsField(value: JsonObject | undefined, name: string): readonly JsonObject[] {
  return arrayField(value, name).filter(isJsonObject);
}

/** Message content: a string, or parts, of which only text is used. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content.map((part) => (isJsonObject(part) && isTextPart(part) ? textField(part, "text") : undefined));
  return parts.length === 1 ? (parts[0] ?? "") : parts.join("");
}

function isTextPart(part: JsonObject): boolean {
  return part["type"] === undefined || part["type"] === "text";
}
