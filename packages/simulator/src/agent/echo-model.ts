import type { Model } from "../model/model.ts";

/** Says back what it was told. */
export function createRuleModel(_options: { readonly seed: string }): Model {
  return ({ messages }) => {
    const prompt = messages.findLast((message) => message.role === "user");
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return { thinking: "Thinking it over.", text: `You said: ${prompt?.text ?? ""}`, calls: [], usage };
  };
}
