import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { messagesBodySchema } from "./anthropic/request.ts";
import { ignoredFields } from "./ignored-fields.ts";
import { chatSchema } from "./openai/request.ts";
import { responsesSchema } from "./responses/request.ts";

/** The fields of a request by the types of the vendor's own SDK. */
function fieldsOf(declarations: string, type: string): readonly string[] {
  const path = fileURLToPath(new URL(`../../../../node_modules/${declarations}.d.ts`, import.meta.url));
  const body = new RegExp(`^export interface ${type}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(
    readFileSync(path, "utf8"),
  )?.[1];
  return [...(body ?? "").matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = ""]) => name);
}

/** Concern the caller, the bill or a cache of the vendor's: no answer depends on them. */
const bookkeeping = new Set([
  "cache_control",
  "diagnostics",
  "fallback_credit_token",
  "metadata",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "store",
  "stream_options",
  "user",
  "user_profile_id",
  "workspace_id",
]);

/** Rejected by name if set, since an answer without them would not be what was asked for. */
const refused = new Set(["audio", "conversation", "functions", "prompt"]);

/** Read, but not by the schema: `answerFormatOf` and `thread_not_found` reject what they do not know, and betas are a header. */
const readElsewhere = new Set(["response_format", "thread", "betas"]);

it.each([
  ["Chat Completions", "openai/resources/chat/completions/completions", "ChatCompletionCreateParamsBase", chatSchema],
  ["Responses", "openai/resources/responses/responses", "ResponseCreateParamsBase", responsesSchema],
  ["Messages", "@anthropic-ai/sdk/resources/messages/messages", "MessageCreateParamsBase", messagesBodySchema],
  [
    "Messages (beta)",
    "@anthropic-ai/sdk/resources/beta/messages/messages",
    "MessageCreateParamsBase",
    messagesBodySchema,
  ],
] as const)("every field of %s is read, refused, named as ignored, or says nothing about the answer", (...row) => {
  const [, declarations, type, schema] = row;
  const fields = fieldsOf(declarations, type);
  const isSorted = (name: string): boolean =>
    name in schema.shape ||
    readElsewhere.has(name) ||
    refused.has(name) ||
    bookkeeping.has(name) ||
    ignoredFields({ [name]: { something: "odd" } }).includes(name);
  expect(fields.length).toBeGreaterThan(15);
  expect(fields.filter((name) => !isSorted(name))).toEqual([]);
});
