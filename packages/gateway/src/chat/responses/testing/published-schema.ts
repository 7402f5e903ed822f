import { z } from "zod";

/**
 * The Responses API as published (OpenAI, and Open Responses of 2026-07-15), as far as this door serves it. Strict: missing fields fail,
 * and so do unpublished ones, except those that clients know from us.
 */
const id = (prefix: string) => z.string().startsWith(`${prefix}_`);
const count = z.int().nonnegative();
const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const outputText = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.tuple([]),
  logprobs: z.tuple([]),
});
const summaryText = z.strictObject({ type: z.literal("summary_text"), text: z.string() });

const messageItem = z.strictObject({
  id: id("msg"),
  type: z.literal("message"),
  status: itemStatus,
  role: z.literal("assistant"),
  content: z.array(outputText),
});
const reasoningItem = z.strictObject({ id: id("rs"), type: z.literal("reasoning"), summary: z.array(summaryText) });
const called = { status: itemStatus, call_id: z.string().min(1) };
const functionCall = z.strictObject({
  id: id("fc"),
  type: z.literal("function_call"),
  ...called,
  name: z.string(),
  arguments: z.string(),
  namespace: z.string().optional(),
});
const customCall = z.strictObject({
  id: id("ctc"),
  type: z.literal("custom_tool_call"),
  ...called,
  name: z.string(),
  input: z.string(),
  namespace: z.string().optional(),
});
const localCall = z.discriminatedUnion("type", [
  z.strictObject({
    id: z.string(),
    type: z.literal("local_shell_call"),
    ...called,
    action: z.strictObject({
      type: z.literal("exec"),
      command: z.array(z.string()),
      env: z.record(z.string(), z.string()),
      timeout_ms: z.number().nullable(),
      working_directory: z.string().nullable(),
      user: z.string().nullable(),
    }),
  }),
  z.strictObject({
    id: z.string(),
    type: z.literal("shell_call"),
    ...called,
    action: z.strictObject({
      commands: z.array(z.string()),
      timeout_ms: z.number().nullable(),
      max_output_length: z.number().nullable(),
    }),
    environment: z.null(),
  }),
  z.strictObject({
    id: z.string(),
    type: z.literal("apply_patch_call"),
    ...called,
    operation: z.looseObject({ type: z.enum(["create_file", "update_file", "delete_file"]), path: z.string() }),
  }),
]);

const itemSchema = z.union([messageItem, reasoningItem, functionCall, customCall, localCall]);

const usageSchema = z
  .strictObject({
    input_tokens: count,
    input_tokens_details: z.strictObject({ cached_tokens: count, cache_write_tokens: count }),
    output_tokens: count,
    output_tokens_details: z.strictObject({ reasoning_tokens: count }),
    total_tokens: count,
    cost: z.number().optional(),
    totalCost: z.number().optional(),
    total_cost: z.number().optional(),
    caret_estimated: z.literal(true).optional(),
    caret_turn_usage: z.looseObject({}).optional(),
  })
  .refine(({ input_tokens, output_tokens, total_tokens }) => input_tokens + output_tokens === total_tokens);

const functionTool = z.strictObject({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
});
const otherTool = z.looseObject({ type: z.string().refine((type) => type !== "function") });

const errorSchema = z.strictObject({
  code: z.enum(["invalid_prompt", "rate_limit_exceeded", "server_error"]),
  message: z.string().min(1),
});

const fields = {
  id: id("resp"),
  object: z.literal("response"),
  created_at: count,
  model: z.string(),
  access_programs: z.null(),
  background: z.boolean(),
  frequency_penalty: z.number(),
  instructions: z.string().nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  metadata: z.record(z.string(), z.unknown()),
  parallel_tool_calls: z.boolean(),
  presence_penalty: z.number(),
  previous_response_id: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  safety_identifier: z.string().nullable(),
  service_tier: z.literal("default"),
  store: z.boolean(),
  temperature: z.number(),
  text: z.looseObject({
    format: z.union([
      z.strictObject({ type: z.enum(["text", "json_object"]) }),
      z.strictObject({
        type: z.literal("json_schema"),
        name: z.string(),
        description: z.string().nullable(),
        schema: z.looseObject({}).nullable(),
        strict: z.boolean(),
      }),
    ]),
  }),
  tool_choice: z.union([
    z.enum(["auto", "none", "required"]),
    z.strictObject({ type: z.literal("function"), name: z.string() }),
    z.looseObject({ type: z.string().refine((type) => type !== "function") }),
  ]),
  tools: z.array(z.union([functionTool, otherTool])),
  top_logprobs: count,
  top_p: z.number(),
  truncation: z.enum(["auto", "disabled"]),
  user: z.string().nullable(),
};

const none = { completed_at: z.null(), error: z.null(), incomplete_details: z.null() };
const running = z.array(itemSchema);
const done = running.refine((items) => items.every((item) => !("status" in item) || item.status === "completed"));

/** A response by its status, the states of a state machine. */
export const responseSchema = z.discriminatedUnion("status", [
  z.strictObject({ ...fields, ...none, status: z.enum(["queued", "in_progress"]), output: running, usage: z.null() }),
  z.strictObject({
    ...fields,
    ...none,
    status: z.literal("completed"),
    completed_at: count,
    output: done,
    usage: usageSchema,
  }),
  z.strictObject({
    ...fields,
    ...none,
    status: z.literal("incomplete"),
    incomplete_details: z.strictObject({ reason: z.literal("max_output_tokens") }),
    output: running,
    usage: usageSchema,
  }),
  z.strictObject({
    ...fields,
    ...none,
    status: z.literal("failed"),
    error: errorSchema,
    output: running,
    usage: usageSchema.nullable(),
  }),
  z.strictObject({ ...fields, ...none, status: z.literal("cancelled"), output: running, usage: usageSchema }),
]);

const numbered = { sequence_number: count };
const atItem = { ...numbered, output_index: count };
const inItem = { ...atItem, item_id: z.string() };
const inText = { ...inItem, content_index: z.literal(0) };
const inSummary = { ...inItem, summary_index: z.literal(0) };

const lifecycle = (["created", "in_progress", "completed", "incomplete", "failed", "cancelled"] as const).map((name) =>
  z.strictObject({ type: z.literal(`response.${name}`), ...numbered, response: responseSchema }),
);

export const eventSchema = z.discriminatedUnion("type", [
  ...(lifecycle as [(typeof lifecycle)[0], ...typeof lifecycle]),
  z.strictObject({ type: z.literal("response.output_item.added"), ...atItem, item: itemSchema }),
  z.strictObject({ type: z.literal("response.output_item.done"), ...atItem, item: itemSchema }),
  z.strictObject({ type: z.literal("response.content_part.added"), ...inText, part: outputText }),
  z.strictObject({ type: z.literal("response.content_part.done"), ...inText, part: outputText }),
  z.strictObject({
    type: z.literal("response.output_text.delta"),
    ...inText,
    delta: z.string().min(1),
    logprobs: z.tuple([]),
  }),
  z.strictObject({ type: z.literal("response.output_text.done"), ...inText, text: z.string(), logprobs: z.tuple([]) }),
  z.strictObject({ type: z.literal("response.reasoning_summary_part.added"), ...inSummary, part: summaryText }),
  z.strictObject({ type: z.literal("response.reasoning_summary_part.done"), ...inSummary, part: summaryText }),
  z.strictObject({ type: z.literal("response.reasoning_summary_text.delta"), ...inSummary, delta: z.string().min(1) }),
  z.strictObject({ type: z.literal("response.reasoning_summary_text.done"), ...inSummary, text: z.string() }),
  z.strictObject({ type: z.literal("response.function_call_arguments.delta"), ...inItem, delta: z.string() }),
  z.strictObject({
    type: z.literal("response.function_call_arguments.done"),
    ...inItem,
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal("response.custom_tool_call_input.delta"), ...inItem, delta: z.string() }),
  z.strictObject({ type: z.literal("response.custom_tool_call_input.done"), ...inItem, input: z.string() }),
  z.strictObject({
    type: z.literal("error"),
    ...numbered,
    ...errorSchema.shape,
    param: z.null(),
    error: z.looseObject({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
  }),
]);

export type PublishedEvent = z.infer<typeof eventSchema>;
