import type { TurnOutput, WireCall } from "../output/turn-output.ts";
import type { HasQuirk } from "../scenario/acp-quirks.ts";
import { contentOf, kindOf, rawInputOf, rawOutputOf, titleOf } from "./tool-shapes.ts";

type Update = Readonly<Record<string, unknown>>;

export interface AcpOutputOptions {
  readonly has: HasQuirk;
  /** Sends a `session/update`; of another session where one is named. */
  readonly update: (update: Update, sessionId?: string) => void;
  /** The turn shows its first words. */
  readonly onStart: () => void;
  readonly newId: () => string;
}

/** A turn as the updates of its session. The answer to its prompt is not one of them. */
export function createAcpOutput({ has, update, onStart, newId }: AcpOutputOptions): TurnOutput {
  const say = (sessionUpdate: string, text: string) => update({ sessionUpdate, content: { type: "text", text } });
  return {
    start: onStart,
    thinkingDelta: (text) => say("agent_thought_chunk", text),
    thinkingEnd: () => undefined,
    textDelta: (text) => say("agent_message_chunk", text),
    query: () => undefined,
    toolStarted(call) {
      const shown = startOf(call);
      update({ sessionUpdate: "tool_call", ...shown, status: "pending" });
      if (has("repeated-tool-calls")) update({ sessionUpdate: "tool_call", ...shown, status: "in_progress" });
      update({ sessionUpdate: "tool_call_update", ...progressOf(call), status: "in_progress" });
      if (call.prepared.key !== "taskToolCall" || !has("subagents-apart")) return;
      const content = { type: "text", text: "I am the subagent." };
      update({ sessionUpdate: "agent_message_chunk", content }, newId());
    },
    toolCompleted(call, outcome) {
      update({
        sessionUpdate: "tool_call_update",
        toolCallId: call.callId,
        status: outcome.ok || has("failures-completed") ? "completed" : "failed",
        rawOutput: rawOutputOf(outcome),
        content: contentOf(call.prepared, outcome),
      });
    },
    event: (event) => update(event),
    result({ usage }) {
      if (!has("usage-updates") || usage === undefined) return;
      update({ sessionUpdate: "usage_update", used: usage.inputTokens + usage.outputTokens, size: 200_000 });
    },
  };
}

/** A call of an MCP tool does not say which one at first. */
function startOf({ callId, prepared }: WireCall): Update {
  const { key, args } = prepared;
  if (key === "mcpToolCall")
    return { toolCallId: callId, title: `MCP: ${args["toolName"]}`, kind: "other", rawInput: {} };
  return { toolCallId: callId, title: titleOf(prepared), kind: kindOf(key), rawInput: rawInputOf(prepared) };
}

function progressOf({ callId, prepared }: WireCall): Update {
  const { key, args } = prepared;
  if (key !== "mcpToolCall") return { toolCallId: callId };
  const { providerIdentifier, toolName, args: given } = args;
  const rawInput = { _toolName: "mcp", providerIdentifier, toolName, args: given };
  return { toolCallId: callId, title: `${providerIdentifier}: ${toolName}`, rawInput };
}

/** A call that is left open by a cancelled turn, closed. */
export function cancelledUpdate(toolCallId: string): Update {
  return { sessionUpdate: "tool_call_update", toolCallId, status: "failed", rawOutput: { error: "Cancelled" } };
}
