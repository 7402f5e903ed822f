import type { MessageBody } from "./messages-body.ts";

/** Claude Code's first system block is for Anthropic's accounts and changes with every version: no instruction. */
const BILLING_BLOCK = "x-anthropic-billing-header";

/** The texts of a system prompt, without what is not meant for a model. */
export function systemTexts(content: MessageBody["content"]): readonly string[] {
  const texts = typeof content === "string" ? [content] : content.map(({ text }) => text);
  return texts.filter((text) => typeof text === "string").filter((text) => text !== "" && !isBilling(text));
}

function isBilling(text: string): boolean {
  return text.trimStart().toLowerCase().startsWith(BILLING_BLOCK);
}
