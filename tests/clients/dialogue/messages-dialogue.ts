import Anthropic from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { Address, Answer, OpenDialogue } from "./dialogue.ts";
import { kitchenTools } from "./kitchen-tools.ts";

const tools = kitchenTools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));

export const openMessagesDialogue: OpenDialogue = (address) => {
  let client = connect(address);
  const messages: MessageParam[] = [];
  const send = async (): Promise<Answer> => {
    const request = { model: "auto", max_tokens: 1024, messages, tools };
    const { content } = await client.messages.stream(request).finalMessage();
    messages.push({ role: "assistant", content });
    const calls = content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ callId: block.id, name: block.name, input: block.input as Record<string, unknown> }]
        : [],
    );
    return { text: content.map((block) => (block.type === "text" ? block.text : "")).join(""), calls };
  };
  return {
    say(content) {
      messages.push({ role: "user", content });
      return send();
    },
    give(...results) {
      const content = results.map(
        ({ callId, text }) => ({ type: "tool_result", tool_use_id: callId, content: text }) as const,
      );
      messages.push({ role: "user", content });
      return send();
    },
    moveTo(next) {
      client = connect(next);
    },
  };
};

function connect({ url, token }: Address): Anthropic {
  return new Anthropic({ baseURL: url, apiKey: token });
}
