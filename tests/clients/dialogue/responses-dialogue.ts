import OpenAI from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import type { Address, Answer, OpenDialogue } from "./dialogue.ts";
import { kitchenTools } from "./kitchen-tools.ts";

const tools = kitchenTools.map(({ name, description, schema }) => ({
  type: "function" as const,
  name,
  description,
  parameters: { ...schema },
  strict: false,
}));

export const openResponsesDialogue: OpenDialogue = (address) => {
  let client = connect(address);
  const input: ResponseInputItem[] = [];
  const send = async (): Promise<Answer> => {
    const request = { model: "auto", input, tools, store: false, stream: true } as const;
    const response = await client.responses.stream(request).finalResponse();
    input.push(...(response.output as ResponseInputItem[]));
    const calls = response.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ callId: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
        : [],
    );
    return { text: response.output_text, calls };
  };
  return {
    say(content) {
      input.push({ role: "user", content });
      return send();
    },
    give(...results) {
      input.push(
        ...results.map(
          ({ callId, text }) => ({ type: "function_call_output", call_id: callId, output: text }) as const,
        ),
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
