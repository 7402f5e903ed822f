/** Fields of a body that ask for another answer to the same transcript. Some are not obeyed here; a retry repeats them all. */
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
  "response_format",
  "text",
  "verbosity",
] as const;

/** What a request says about how to answer, as one text: only requests that say the same may share an answer. */
export function samplingOf(body: Readonly<Record<string, unknown>>): string {
  const said = fields.flatMap((name) => {
    const value = body[name] ?? undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return said.length === 0 ? "" : JSON.stringify(said);
}

/**
 * What the agent is asked when the client wants JSON. Nothing upstream can enforce a format, so it is asked for in words;
 * ignoring it silently would be worse.
 */
export function formatInstruction(format: unknown): string {
  if (typeof format !== "object" || format === null || !("type" in format)) return "";
  const fields = format as Readonly<Record<string, unknown>>;
  if (fields["type"] === "json_object") return "Answer with one JSON object and nothing else: no code fence, no words.";
  if (fields["type"] !== "json_schema") return "";
  const schema = fields["schema"] ?? schemaIn(fields["json_schema"]);
  return `Answer with JSON and nothing else: no code fence, no words. It must match this JSON Schema:\n${JSON.stringify(schema ?? {})}`;
}

function schemaIn(nested: unknown): unknown {
  return typeof nested === "object" && nested !== null && "schema" in nested ? nested.schema : undefined;
}
