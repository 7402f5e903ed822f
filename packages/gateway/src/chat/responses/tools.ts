import type { ClientTool, ToolForm, TranscriptCall, TranscriptPart } from "@caret/protocol";
import { z } from "zod";
import { readPart } from "../../http/read-body.ts";
import type { ClientCall } from "../answer-reader.ts";
import { type RequestTools, type SentTool, toolOfCall, toRequestTools } from "../client-tools.ts";
import {
  customInputOf,
  customToolSchema,
  functionSchema,
  toCustomTool,
  toFunctionTool,
  toolName,
} from "../openai-tools.ts";
import type { CallItem } from "./item-store.ts";

type LocalForm = Exclude<ToolForm, "custom">;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Tools that OpenAI defines and the client runs: they come without a schema. Each returns the tool, or undefined if the request wants it
 * run in OpenAI's own containers.
 */
const localTools: Readonly<Record<string, (tool: Fields) => ClientTool | undefined>> = {
  local_shell: () => ({
    name: "local_shell",
    form: "local_shell",
    description: "Runs a program on the user's machine and gives what it prints.",
    inputSchema: object(["command"], {
      command: { type: "array", items: { type: "string" }, description: "The program and its arguments." },
      working_directory: { type: "string", description: "Where it runs." },
      env: { type: "object", additionalProperties: { type: "string" }, description: "Further environment variables." },
      timeout_ms: { type: "integer", description: "Ends it after so many milliseconds." },
      user: { type: "string", description: "The user it runs as." },
    }),
  }),
  shell: ({ environment }) => (isLocal(environment) ? shellTool : undefined),
  apply_patch: () => ({
    name: "apply_patch",
    form: "apply_patch",
    description: "Creates, changes or deletes one file in the user's workspace.",
    inputSchema: object(["type", "path"], {
      type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
      path: { type: "string", description: "The file, relative to the workspace." },
      diff: {
        type: "string",
        description:
          "What changes, as a V4A diff: sections that begin with @@, then lines that begin with a space (kept), - (removed) or + (added). A new file has only + lines. Not for delete_file.",
      },
    }),
  }),
};

const shellTool: ClientTool = {
  name: "shell",
  form: "shell",
  description: "Runs shell commands on the user's machine and gives what they print.",
  inputSchema: object(["commands"], {
    commands: {
      type: "array",
      items: { type: "string" },
      description: "The commands; each may run beside the others.",
    },
    timeout_ms: { type: "integer", description: "Ends them after so many milliseconds." },
    max_output_length: { type: "integer", description: "How many characters of the output are wanted." },
  }),
};

function isLocal(environment: unknown): boolean {
  const { type } = toFields(environment);
  return type === undefined || type === "local";
}

function object(required: readonly string[], properties: Fields): Fields {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The fields specific to a call of such a tool, in the form its client reads. Repairs arguments that do not fit, as far as possible. */
export function localCallFields(form: LocalForm, input: unknown) {
  const fields = toFields(input);
  if (form === "local_shell") return { type: "local_shell_call", action: toExec(fields) } as const;
  if (form === "apply_patch") return { type: "apply_patch_call", operation: toOperation(fields) } as const;
  const action = {
    commands: texts(fields["commands"] ?? fields["command"]),
    timeout_ms: numberOrNull(fields["timeout_ms"]),
    max_output_length: numberOrNull(fields["max_output_length"]),
  };
  return { type: "shell_call", action, environment: null } as const;
}

function toExec(fields: Fields) {
  const { command, env, working_directory, timeout_ms, user } = fields;
  return {
    type: "exec",
    command: typeof command === "string" ? ["sh", "-c", command] : texts(command),
    env: Object.fromEntries(Object.entries(toFields(env)).map(([name, value]) => [name, String(value)])),
    timeout_ms: numberOrNull(timeout_ms),
    working_directory: textOrNull(working_directory),
    user: textOrNull(user),
  } as const;
}

function toOperation({ type, path, diff }: Fields) {
  const kind = type === "create_file" || type === "delete_file" ? type : "update_file";
  const file = { type: kind, path: typeof path === "string" ? path : "" };
  return kind === "delete_file" ? file : { ...file, diff: typeof diff === "string" ? diff : "" };
}

function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.map(String) : [];
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

const filled = z.string("must be a string").min(1, "must not be empty");
const fields = z.looseObject({}, "must be an object");
const actionSchema = z.object({ call_id: filled, action: fields.default({}) });
const operationSchema = z.object({ call_id: filled, operation: fields.default({}) });
const shellOutputSchema = z.object({
  call_id: filled,
  output: z.array(
    z.looseObject({ stdout: z.string().nullish(), stderr: z.string().nullish(), outcome: fields.nullish() }),
  ),
});
/** OpenAI's own clients put the call's id under `id` here. */
const localOutputSchema = z.object({ call_id: filled.nullish(), id: filled.nullish(), output: z.string() });
const patchOutputSchema = z.object({ call_id: filled, status: z.string().nullish(), output: z.string().nullish() });

/** What an item reports about tools that OpenAI defines and the client runs: a call, or its result. */
export type LocalCallNews =
  | { readonly call: TranscriptCall }
  | { readonly callId: string; readonly parts: readonly TranscriptPart[]; readonly isError: boolean };

const readers: Readonly<Record<string, (item: unknown, path: string) => LocalCallNews>> = {
  local_shell_call: (item, path) => toCall("local_shell", readPart(actionSchema, item, path)),
  shell_call: (item, path) => toCall("shell", readPart(actionSchema, item, path)),
  apply_patch_call: (item, path) => {
    const { call_id, operation } = readPart(operationSchema, item, path);
    return toCall("apply_patch", { call_id, action: operation });
  },
  local_shell_call_output: (item, path) => {
    const { call_id, id, output } = readPart(localOutputSchema, item, path);
    return toResult(call_id ?? id ?? "", output);
  },
  shell_call_output: (item, path) => {
    const { call_id, output } = readPart(shellOutputSchema, item, path);
    return toResult(call_id, output.map(renderRun).join("\n\n"));
  },
  apply_patch_call_output: (item, path) => {
    const { call_id, status, output } = readPart(patchOutputSchema, item, path);
    return toResult(call_id, output ?? status ?? "", status === "failed");
  },
};

/** Undefined if the item is of another kind. */
export function readLocalCall(type: string, item: unknown, path: string): LocalCallNews | undefined {
  return readers[type]?.(item, path);
}

function toCall(name: string, { call_id, action }: z.infer<typeof actionSchema>): LocalCallNews {
  return { call: { callId: call_id, name, input: action } };
}

function toResult(callId: string, text: string, isError = false): LocalCallNews {
  return { callId, parts: [{ kind: "text", text }], isError };
}

function renderRun({ stdout, stderr, outcome }: z.infer<typeof shellOutputSchema>["output"][number]): string {
  const end = outcome?.["type"] === "timeout" ? "It took too long and was ended." : exitText(outcome?.["exit_code"]);
  return [stdout ?? "", stderr ?? "", end].filter((part) => part !== "").join("\n");
}

function exitText(code: unknown): string {
  return typeof code === "number" ? `Exit code ${code}` : "";
}

const anyTool = z.looseObject({ type: z.string("must be a string") }, "must be an object");
const namespaceSchema = z.looseObject({ name: toolName, tools: z.array(anyTool, "must be a list") });

export const toolsSchema = z.array(anyTool, "must be a list").nullish();

type AnyTool = z.infer<typeof anyTool>;

/** Everything the client runs, alone or grouped in a namespace. Tools that only OpenAI could run (`web_search`) are not offered. */
export function toResponseTools(tools: z.infer<typeof toolsSchema>): RequestTools {
  return toRequestTools((tools ?? []).flatMap((tool, index) => toTools(tool, `tools[${index}]`)));
}

function toTools(tool: AnyTool, path: string): readonly (SentTool | string)[] {
  if (tool.type !== "namespace") return toTool(tool, path);
  const { name, tools } = readPart(namespaceSchema, tool, path);
  return tools.flatMap((nested, index) => toTool(nested, `${path}.tools[${index}]`, name));
}

/** The tool, or the type of one that no client runs. */
function toTool(tool: AnyTool, path: string, namespace?: string): readonly (SentTool | string)[] {
  if (tool.type === "function") return [toFunctionTool(readPart(functionSchema, tool, path), namespace)];
  if (tool.type === "custom") return [toCustomTool(readPart(customToolSchema, tool, path), namespace)];
  // Searching deferred tools is pointless here: all are offered from the start.
  if (tool.type === "tool_search" && tool["execution"] !== "client") return [];
  return [localTools[tool.type]?.(tool) ?? tool.type];
}

/** A call as an item of the response, in the form in which its tool was offered. */
export function toCallItem(call: ClientCall, tools: readonly ClientTool[], newId: () => string): CallItem {
  const { callId, name, input } = call;
  const tool = toolOfCall(tools, call);
  const common = { status: "completed", call_id: callId } as const;
  const named = { name, ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }) };
  const form = tool?.form;
  if (form === undefined)
    return { id: `fc_${newId()}`, type: "function_call", ...common, ...named, arguments: JSON.stringify(input ?? {}) };
  if (form === "custom")
    return { id: `ctc_${newId()}`, type: "custom_tool_call", ...common, ...named, input: customInputOf(input) };
  return { id: `lc_${newId()}`, ...common, ...localCallFields(form, input) };
}
