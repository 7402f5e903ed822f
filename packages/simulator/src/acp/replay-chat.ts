import type { ModelMessage } from "../model/model.ts";

type Update = Readonly<Record<string, unknown>>;

/** A chat as the updates that `session/load` sends before it answers: everything that was ever said, once more. */
export function replayChat(history: readonly ModelMessage[]): readonly Update[] {
  const updates: Update[] = [];
  let turn = -1;
  let step = 0;
  for (const message of history) {
    if (message.role === "user") {
      turn += 1;
      step = 0;
      updates.push(chunk("user_message_chunk", message.text));
    } else if (message.role === "assistant" && message.text !== "") {
      updates.push(chunk("agent_message_chunk", message.text));
    } else if (message.role === "tool") updates.push(...replayCall(message, `replay-${turn}-${step++}`));
  }
  return updates;
}

function replayCall(message: Extract<ModelMessage, { role: "tool" }>, toolCallId: string): readonly Update[] {
  const { name, args } = message.call;
  const content = [{ type: "content", content: { type: "text", text: message.output } }];
  return [
    { sessionUpdate: "tool_call", toolCallId, title: name, kind: "other", status: "pending", rawInput: args },
    { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content },
  ];
}

function chunk(sessionUpdate: string, text: string): Update {
  return { sessionUpdate, content: { type: "text", text } };
}
