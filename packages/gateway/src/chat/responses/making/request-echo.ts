import type { ResponsesBody } from "../request.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Values of fields that a request does not set. */
const defaults = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
} satisfies Partial<Record<keyof ResponsesBody, unknown>>;

/** What a response repeats of its request: the published object has all of it, as asked or by default. */
export function echoRequest(body: ResponsesBody) {
  const repeated = Object.entries(defaults).map(([name, value]) => [name, body[name] ?? value]);
  return {
    ...(Object.fromEntries(repeated) as Readonly<Record<keyof typeof defaults, unknown>>),
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    // Whatever tier was requested, only this one exists.
    service_tier: "default",
    text: echoText(body.text ?? {}),
    tool_choice: echoToolChoice(body.tool_choice),
    tools: (body.tools ?? []).map(echoTool),
  } as const;
}

function echoText({ format, ...text }: Fields) {
  return { ...text, format: echoFormat((format ?? { type: "text" }) as Fields) };
}

function echoFormat({ type, ...format }: Fields) {
  if (type !== "json_schema") return { type, ...format };
  const { name = "answer", description = null, schema = null, strict = null } = format;
  return { type, name, description, schema, strict: strict === true };
}

function echoTool(tool: Fields): Fields {
  if (tool["type"] === "function") {
    const { description = null, parameters = null, strict = null } = tool;
    return { ...tool, description, parameters, strict };
  }
  const { tools } = tool;
  if (tool["type"] === "namespace" && Array.isArray(tools)) return { ...tool, tools: tools.map(echoTool) };
  return tool;
}

/** Chat Completions clients nest the name; here it is flat. */
function echoToolChoice(choice: ResponsesBody["tool_choice"]): unknown {
  if (choice === undefined || choice === null) return "auto";
  if (typeof choice === "string" || choice.type !== "function") return choice;
  const nested = (choice["function"] ?? {}) as Fields;
  return { type: "function", name: choice["name"] ?? nested["name"] };
}
