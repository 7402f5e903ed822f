/**
 * What the agent is told when the client wants JSON. Nothing upstream can enforce a format, so it is asked for in words;
 * silently ignoring the wish would be worse.
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
