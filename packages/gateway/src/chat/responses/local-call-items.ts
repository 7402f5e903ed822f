import type { TranscriptCall, TranscriptPart } from "@caret/protocol";
import { z } from "zod";
import { readPart } from "../../http/read-body.ts";

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

/** What an item says of the tools that OpenAI defines and the client runs: a call of one, or what came of it. */
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

/** Undefined: the item is of another kind. */
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
