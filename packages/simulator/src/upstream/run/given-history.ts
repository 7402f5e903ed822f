import type { ConversationHistory, ConversationHistoryMessage } from "@caret/protocol/agent-api/conversation";
import { parseRecord } from "../../json/json.ts";
import type { ModelMessage } from "../../model/model.ts";

/** The earlier messages that a client without a checkpoint sends along. */
export function toHistory(history: ConversationHistory | undefined): readonly ModelMessage[] {
  return (history?.messages ?? []).flatMap(toMessage);
}

function toMessage({ message }: ConversationHistoryMessage): readonly ModelMessage[] {
  switch (message.case) {
    case "user":
      return [{ role: "user", text: joinText(message.value.content) }];
    case "assistant": {
      const calls = message.value.content.flatMap(({ content }) =>
        content.case === "toolCall"
          ? [{ name: content.value.toolName, args: parseRecord(content.value.argsJson) ?? {} }]
          : [],
      );
      return [{ role: "assistant", text: joinText(message.value.content), calls }];
    }
    case "tool": {
      const { toolName, content, isError } = message.value;
      return [{ role: "tool", call: { name: toolName, args: {} }, ok: isError !== true, output: joinText(content) }];
    }
    case undefined:
      return [];
  }
}

interface Part {
  readonly content: { readonly case: string | undefined; readonly value?: unknown };
}

function joinText(parts: readonly Part[]): string {
  const texts = parts.map(({ content }) =>
    content.case === "text" ? (content.value as { readonly text: string }).text : "",
  );
  return texts.join("");
}
