import { type ToolEntry, toNamedInput, toolKind } from "../tools/tool-entry.ts";
import type { ToolCallEvent } from "../turn-draft.ts";

export function toToolCall(callId: string, entry: ToolEntry): ToolCallEvent {
  const name = entry.name ?? "unknown";
  const named = entry.native ? toNamedInput(name, entry.args) : { name, input: entry.args ?? {} };
  const description = entry.description === undefined ? {} : { description: entry.description };
  const kind = entry.native ? toolKind(name) : "other";
  return { type: "tool-call", callId, ...named, kind, owner: "agent", ...description };
}
