import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { Address, Answer, OpenDialogue } from "./dialogue.ts";
import { kitchenTools } from "./kitchen-tools.ts";

const tools = kitchenTools.map(({ name, description, schema }) => ({
  type: "function" as const,
  function: { name, description, parameters: { ...schema } },
}));

export const openChatDialogue: OpenDialogue = (address) => {
  let client = connect(address);
  const messages: ChatCompletionMessageParam[] = [];
  const send = async (): Promise<Answer> => {
    const stream = client.chat.completions.stream({ model: "auto", messages, tools });
    const message = (await stream.finalChatCompletion()).choices[0]?.message;
    if (message === undefined) throw new Error("The answer has no message");
    messages.push(message);
    const calls = (message.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [{ callId: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }]
        : [],
    );
    return { text: message.content ?? "", calls };
  };
  return {
    say(content) {
      messages.push({ role: "user", content });
      return send();
    },
    give(...results) {
      messages.push(
        ...results.map(({ callId, text }) => ({ role: "tool", tool_call_id: callId, content: text }) as const),
      );
      return send();
    },
    moveTo(next) {
      client = connect(next);
    },
  };
};

function connect({ url, token }: Address): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
}
