import type { ModelCall, ModelMessage, ModelUsage } from "./model.ts";

const CHARACTERS_PER_TOKEN = 4;

/** Counts as a tokeniser roughly would: what was sent before comes from the cache, the rest is new. */
export function estimateUsage(
  messages: readonly ModelMessage[],
  reply: { readonly thinking?: string; readonly text?: string; readonly calls: readonly ModelCall[] },
): ModelUsage {
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  const cached = messages.slice(0, Math.max(0, lastReply));
  const fresh = messages.slice(Math.max(0, lastReply));
  const calls = reply.calls.length === 0 ? "" : JSON.stringify(reply.calls);
  return {
    inputTokens: tokens(fresh.map(textOf).join("")),
    outputTokens: tokens(`${reply.thinking ?? ""}${reply.text ?? ""}${calls}`),
    cacheReadTokens: tokens(cached.map(textOf).join("")),
    cacheWriteTokens: 0,
  };
}

function textOf(message: ModelMessage): string {
  switch (message.role) {
    case "system":
    case "user":
      return message.text;
    case "assistant":
      return `${message.text}${message.calls.length === 0 ? "" : JSON.stringify(message.calls)}`;
    case "tool":
      return message.output;
  }
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
