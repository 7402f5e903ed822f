import { type CaretError, inCommandForm } from "@caret/protocol";
import type { CallToolResult } from "@modelcontextprotocol/server";

/** The same for models that read text and for hosts that read structures. */
export function toToolResult(value: object, isError = false): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(value, undefined, 2) }],
    structuredContent: { ...value },
    ...(isError ? { isError } : {}),
  };
}

/** What failed and what to do about it. A failure is a result: the host's model reads it and may act on it. */
export function toToolError({ code, message, fix, upstream }: CaretError, command: string): CallToolResult {
  const words = upstream === undefined ? "" : `\n${upstream}`;
  return {
    content: [{ type: "text", text: `${message} [${code}]${words}\n${inCommandForm(fix, command)}` }],
    isError: true,
  };
}
