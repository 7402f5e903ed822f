type Value = Readonly<Record<string, unknown>>;

/**
 * The same turn in the words of the payload dialect: everything that belongs to an event sits in `payload`, calls carry
 * their id and a flat result, and the result has an exit code.
 */
export function toPayloadEvent(event: Value): Value {
  const { type, subtype, ...rest } = event;
  const head = { type, ...(subtype === undefined ? {} : { subtype }) };
  switch (type) {
    case "user":
      return { ...head, payload: { prompt: firstText(event) } };
    case "thinking":
      return { ...head, payload: subtype === "delta" ? { content: event["text"] } : {} };
    case "assistant":
      return { ...head, payload: { message: { content: asRecord(event["message"])["content"] } } };
    case "tool_call":
      return { ...head, payload: { toolCall: toPayloadCall(event) } };
    case "result": {
      const isError = event["is_error"] === true;
      const exitCode = isError ? 1 : 0;
      return { ...head, exitCode, payload: { exitCode, is_error: isError, result: event["result"] } };
    }
    default:
      return { ...head, payload: rest };
  }
}

function toPayloadCall(event: Value): Value {
  const id = event["call_id"];
  const call = asRecord(event["tool_call"]);
  const key = Object.keys(call).find((name) => name.endsWith("ToolCall")) ?? "unknownToolCall";
  const body = asRecord(call[key]);
  const args = asRecord(body["args"]);
  if (event["subtype"] === "completed") return { id, result: toPayloadResult(asRecord(body["result"])) };
  if (key === "editToolCall") {
    return { id, writeFileToolCall: { path: args["path"], contents: args["streamContent"] } };
  }
  return { id, [key]: { name: key.replace(/ToolCall$/, ""), args } };
}

/** Shell results keep their three fields; of the others only success and the reason against it are kept. */
function toPayloadResult(result: Value): Value {
  const [arm = "success", found] = Object.entries(result)[0] ?? [];
  const value = asRecord(found);
  if ("exitCode" in value) return { exitCode: value["exitCode"], stdout: value["stdout"], stderr: value["stderr"] };
  if (arm === "success") return { success: true };
  return { success: false, error: value["error"] ?? value["errorMessage"] ?? value["reason"] ?? arm };
}

function firstText(event: Value): unknown {
  const content = asRecord(event["message"])["content"];
  return Array.isArray(content) ? asRecord(content[0])["text"] : undefined;
}

function asRecord(value: unknown): Value {
  return typeof value === "object" && value !== null ? (value as Value) : {};
}
