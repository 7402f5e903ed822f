import type { ModelMessage } from "../model/model.ts";

type Update = Readonly<Record<string, unknown>>;

/** A chat as the updates that `session/load` sends before it answers: everything that was ever said, once more. */
export function replayChat(history: readonly ModelMessage[]): readonly Update[] {
  let turn = -1;
  let step = 0;
  return history.flatMap((message): readonly Update[] => {
    switch (message.role) {
      case "system":
        return [];
      case "user":
        turn += 1;
        step = 0;
        return [chunk("user_message_chunk", message.text)];
      case "assistant":
        return message.text === "" ? [] : [chunk("agent_message_chunk", message.text)];
      case "tool": {
        const toolCallId = `replay-${turn}-${step++}`;
        const { name, args } = message.call;
        const content = [{ type: "content", content: { type: "text", text: message.output } }];
        return [
          { sessionUpdate: "tool_call", toolCallId, title: name, kind: "other", status: "pending", rawInput: args },
          { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content },
        ];
      }
    }
  });
}

function chunk(sessionUpdate: string, text: string): Update {
  return { sessionUpdate, content: { type: "text", text } };
}
