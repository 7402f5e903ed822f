import { isJsonObject, type JsonObject } from "../framing/frame.ts";
import { wordField } from "./fields.ts";

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

/** The words of an error in any shape: a string, an object with a message somewhere, an object inside an object. */
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
