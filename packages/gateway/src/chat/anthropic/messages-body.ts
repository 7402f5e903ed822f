import { z } from "zod";

/** What a content is, in every role: a text, or blocks of which only the type is known here. */
const contentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))], {
  error: "must be a string or a list of blocks with a type",
});

const messageSchema = z.object({
  role: z.enum(["user", "assistant", "system", "developer"], { error: "must be user, assistant or system" }),
  content: contentSchema,
});

/**
 * Only what is read, and only as strictly as needed to read it: clients send betas and fields of next month. Limits that
 * bind Anthropic's models only (`budget_tokens` below `max_tokens`, for one) are not checked, since they bind nobody here.
 */
export const messagesBodySchema = z.looseObject({
  model: z.string().optional(),
  cursorModel: z.string().optional(),
  messages: z.array(messageSchema).min(1, { error: "must not be empty" }),
  system: contentSchema.nullish(),
  max_tokens: z.number().int().positive().optional(),
  stop_sequences: z.array(z.string().min(1, { error: "must not be empty" })).nullish(),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        name: z.string().min(1).max(256).optional(),
        description: z.string().nullish(),
        input_schema: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .nullish(),
  tool_choice: z
    .object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  thinking: z.object({ type: z.string() }).nullish(),
  output_config: z.object({ effort: z.string().nullish(), format: z.unknown().optional() }).nullish(),
  metadata: z.object({ user_id: z.unknown() }).partial().nullish(),
});

export type MessagesBody = z.infer<typeof messagesBodySchema>;
export type MessageBody = MessagesBody["messages"][number];
export type ContentBlock = Exclude<MessageBody["content"], string>[number];
