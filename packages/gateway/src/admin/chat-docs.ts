import { z } from "zod";
import type { RouteDoc } from "../http/route-doc.ts";

const list = z.array(z.looseObject({}));
const textOrList = z.union([z.string(), list]);

const chat = z.object({
  model: z.string().optional(),
  messages: list,
  tools: list.optional(),
  stream: z.boolean().optional(),
});
const messages = z.object({
  model: z.string().optional(),
  messages: list,
  system: textOrList.optional(),
  tools: list.optional(),
  max_tokens: z.int().optional(),
});

/** The stateless doors, by path: the fields of a body that most clients send, out of all that the doors take. */
export const chatDocs: Readonly<Record<string, RouteDoc>> = {
  "/v1/chat/completions": { summary: "OpenAI chat completions", body: chat, streams: true },
  "/v1/responses": {
    summary: "OpenAI responses",
    body: chat.omit({ messages: true }).extend({ input: textOrList }),
    streams: true,
  },
  "/v1/messages": {
    summary: "Anthropic messages",
    body: messages.extend({ stream: z.boolean().optional() }),
    streams: true,
  },
  "/v1/messages/count_tokens": { summary: "Estimate the tokens of a request", body: messages },
};
