import type { AnswerFormat } from "@caret/protocol";
import { invalidRequest } from "../http/read-body.ts";

/** Body fields that ask for a different answer to the same transcript. Some have no effect here; a retry repeats them all. */
const fields = [
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "repetition_penalty",
  "logit_bias",
  "prediction",
  "stop",
  "stop_sequences",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_tool_calls",
  "parallel_tool_calls",
  "reasoning",
  "reasoning_effort",
  "thinking",
  "output_config",
  "output_format",
  "response_format",
  "text",
  "verbosity",
] as const;

/** A request's answer settings as one text: only requests with equal settings can share an answer. */
export function samplingOf(body: Readonly<Record<string, unknown>>): string {
  const said = fields.flatMap((name) => {
    const value = body[name] ?? undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return said.length === 0 ? "" : JSON.stringify(said);
}

type Fields = Readonly<Record<string, unknown>>;

/** The format a request demands of the answer; undefined: plain text. `field`: the request's field that demands it. */
export function answerFormatOf(format: unknown, field: string): AnswerFormat | undefined {
  if (format === undefined || format === null) return undefined;
  const { type, schema, json_schema } = format as Fields;
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { field };
    case "json_schema":
      // Chat Completions wraps it once more.
      return typeof json_schema === "object" && json_schema !== null
        ? { field: `${field}.json_schema.schema`, schema: (json_schema as Fields)["schema"] ?? {} }
        : { field: `${field}.schema`, schema: schema ?? {} };
    default:
      throw invalidRequest(`${field}.type: must be text, json_object or json_schema`);
  }
}

/** The demanded format as an instruction to the agent: nothing upstream can enforce it. */
export function formatInstruction(format: AnswerFormat | undefined): string {
  if (format === undefined) return "";
  if (format.schema === undefined) return "Answer with one JSON object and nothing else: no code fence, no words.";
  return `Answer with JSON and nothing else: no code fence, no words. It must match this JSON Schema:\n${JSON.stringify(format.schema)}`;
}
