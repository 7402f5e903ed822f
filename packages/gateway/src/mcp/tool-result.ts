import { type CaretError, inCommandForm } from "@caret/protocol";
import type { CallToolResult } from "@modelcontextprotocol/server";

/** The same content twice: as text for models, as a structure for hosts. */
export function toToolResult(value: object, isError = false): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(value, undefined, 2) }],
    structuredContent: { ...value },
    ...(isError ? { isError } : {}),
  };
}

/** What failed and what to do about it. Sent as a result, so the host's model can read it and act on it. */
export function toToolError({ code, message, fix, upstream }: CaretError, command: string): CallToolResult {
  const words = upstream === undefined ? "" : `\n${upstream}`;
  return {
    content: [{ type: "text", text: `${message} [${code}]${words}\n${inCommandForm(fix, command)}` }],
    isError: true,
  };
}
