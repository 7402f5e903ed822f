import { z } from "zod";
import { chatDamage } from "./chat-message.ts";

/** Milliseconds since 1970; some versions write them as text, in digits or as a date. Anything else is not known. */
export const chatTime = z
  .union([z.number(), z.string().transform(toMilliseconds)])
  .optional()
  .catch(undefined);

function toMilliseconds(text: string): number | undefined {
  const time = /^\s*\d+\s*$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}

const text = z.string().optional().catch(undefined);

/** What the CLI notes about a chat. A field that is missing or of another type than we know is simply not known. */
const chatMetaSchema = z.object({
  agentId: text,
  name: text,
  mode: text,
  createdAt: chatTime,
  lastUsedModel: text,
  latestRootBlobId: text,
});

export type ChatMeta = Readonly<z.infer<typeof chatMetaSchema>>;

/** Older builds store the JSON as hexadecimal digits, newer ones as it is. */
export function parseChatMeta(value: string): ChatMeta {
  const json = value.trimStart().startsWith("{") ? value : Buffer.from(value.trim(), "hex").toString("utf8");
  try {
    return chatMetaSchema.parse(JSON.parse(json));
  } catch (error) {
    throw chatDamage("The chat's description is not JSON", error);
  }
}
