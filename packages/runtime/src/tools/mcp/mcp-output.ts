import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ToolOutput } from "../tool.ts";

/** What a server answered, as text. Pictures and sounds are named: there is no way to show them here. */
export function toMcpOutput({ content, structuredContent, isError = false }: CallToolResult): ToolOutput {
  const text = content.map(toText).join("\n");
  const output =
    text !== "" || structuredContent === undefined ? text : JSON.stringify(structuredContent, undefined, 2);
  return isError ? { output, failure: "tool_error" } : { output };
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`;
    default:
      return "[content of an unknown kind]";
  }
}
