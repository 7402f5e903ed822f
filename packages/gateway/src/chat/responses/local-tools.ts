import type { ClientTool, ToolForm } from "@caret/protocol";

type LocalForm = Exclude<ToolForm, "custom">;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Tools that OpenAI defines and the client runs: they come without a schema. Each gives the tool, or undefined when the
 * request has it run in OpenAI's own containers.
 */
export const localTools: Readonly<Record<string, (tool: Fields) => ClientTool | undefined>> = {
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

/** What is specific to a call of such a tool, in the form its client reads. Arguments that do not fit are mended as far as sense allows. */
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
