import { isRecord, parseRecord } from "../../json/json.ts";
import type { ModelCall, ModelMessage } from "../../model/model.ts";

/**
 * The prompt's messages as the server keeps them: one JSON object per blob, with parts of text, calls and results. A call
 * of an MCP tool is named "server-tool" there; the server stands beside it, so that no name has to be taken apart.
 */
export function toMessageJson(message: ModelMessage, id: string): string {
  switch (message.role) {
    case "system":
    case "user":
      return JSON.stringify({ role: message.role, content: message.text, id });
    case "assistant": {
      const text = message.text === "" ? [] : [{ type: "text", text: message.text }];
      const calls = message.calls.map((call) => ({ type: "tool-call", ...toCallJson(call) }));
      return JSON.stringify({ role: "assistant", content: [...text, ...calls], id });
    }
    case "tool": {
      const { call, ok, output } = message;
      return JSON.stringify({
        role: "tool",
        content: [{ type: "tool-result", ...toCallJson(call), ok, result: output }],
        id,
      });
    }
  }
}

/** The message of a blob; none for what is no message of these. */
export function fromMessageJson(json: string): readonly ModelMessage[] {
  const { role, content } = parseRecord(json) ?? {};
  const parts = Array.isArray(content) ? content.filter(isRecord) : [{ type: "text", text: String(content ?? "") }];
  const text = parts.map((part) => (part["type"] === "text" ? String(part["text"]) : "")).join("");
  if (role === "system" || role === "user") return [{ role, text }];
  if (role === "assistant") {
    const calls = parts.filter((part) => part["type"] === "tool-call").map(fromCallJson);
    return [{ role, text, calls }];
  }
  if (role !== "tool") return [];
  return parts
    .filter((part) => part["type"] === "tool-result")
    .map((part) => ({ role, call: fromCallJson(part), ok: part["ok"] !== false, output: toText(part["result"]) }));
}

function toCallJson({ server, name, args }: ModelCall): object {
  return { toolName: name, args, ...(server === undefined ? {} : { server }) };
}

function fromCallJson(part: Readonly<Record<string, unknown>>): ModelCall {
  const { server, toolName, args } = part;
  const call = { name: String(toolName), args: isRecord(args) ? args : {} };
  return typeof server === "string" ? { server, ...call } : call;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
