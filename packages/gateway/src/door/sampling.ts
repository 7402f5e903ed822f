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
