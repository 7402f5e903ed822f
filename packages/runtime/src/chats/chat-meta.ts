import { z } from "zod";
import { chatDamage } from "./chat-message.ts";

/** Milliseconds since 1970; some versions write text, as digits or a date. Anything else counts as unknown. */
export const chatTime = z
  .union([z.number(), z.string().transform(toMilliseconds)])
  .optional()
  .catch(undefined);

function toMilliseconds(text: string): number | undefined {
  const time = /^\s*\d+\s*$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}

const text = z.string().optional().catch(undefined);

/** The CLI's notes about a chat. A missing field or one of an unexpected type counts as unknown. */
const chatMetaSchema = z.object({
  agentId: text,
  name: text,
  mode: text,
  createdAt: chatTime,
  lastUsedModel: text,
  latestRootBlobId: text,
});

export type ChatMeta = Readonly<z.infer<typeof chatMetaSchema>>;

/** Older builds store the JSON hex-encoded, newer ones verbatim. */
export function parseChatMeta(value: string): ChatMeta {
  const json = value.trimStart().startsWith("{") ? value : Buffer.from(value.trim(), "hex").toString("utf8");
  try {
    return chatMetaSchema.parse(JSON.parse(json));
  } catch (error) {
    throw chatDamage("The chat's description is not JSON", error);
  }
}
