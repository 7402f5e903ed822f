import type { Frame, JsonObject } from "../framing/frame.ts";
import type { DialectName } from "./dialect.ts";
import { objectField, textField } from "./fields.ts";

const contractTypes: ReadonlySet<string> = new Set(["protocol", "assistant_delta", "usage", "done"]);
const streamJsonTypes: ReadonlySet<string> = new Set([
  "system",
  "user",
  "assistant",
  "thinking",
  "tool_call",
  "interaction_query",
  "connection",
  "retry",
  "result",
]);

/** Which dialect a frame is proof of; undefined when it could be any, or none. */
export function recogniseDialect(frame: Frame): DialectName | undefined {
  if (frame.kind !== "object") return undefined;
  return frame.sentinel ? "contract" : recogniseObject(frame.value);
}

function recogniseObject(event: JsonObject): DialectName | undefined {
  const type = textField(event, "type");
  if (type === undefined) return undefined;
  if (objectField(event, "payload") !== undefined || type === "raw") return "payload";
  if (contractTypes.has(type) || objectField(event, "data") !== undefined) return "contract";
  if (streamJsonTypes.has(type)) return "stream-json";
  return type === "error" && textField(event, "message") !== undefined ? "payload" : undefined;
}
