import type { ClientTool } from "@caret/protocol";
import type { ClientCall } from "../answer-reader.ts";
import { offeredToolOf } from "../offered-tools.ts";
import { customInputOf } from "../openai/custom-tool.ts";
import { localCallFields } from "./local-tools.ts";
import type { CallItem } from "./output-item.ts";

/** A call as an item of the response, in the form that its tool was offered in. */
export function toCallItem(call: ClientCall, tools: readonly ClientTool[], newId: () => string): CallItem {
  const { callId, name, input } = call;
  const tool = offeredToolOf(tools, call);
  const common = { status: "completed", call_id: callId } as const;
  const named = { name, ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }) };
  const form = tool?.form;
  if (form === undefined)
    return { id: `fc_${newId()}`, type: "function_call", ...common, ...named, arguments: JSON.stringify(input ?? {}) };
  if (form === "custom")
    return { id: `ctc_${newId()}`, type: "custom_tool_call", ...common, ...named, input: customInputOf(input) };
  return { id: `lc_${newId()}`, ...common, ...localCallFields(form, input) };
}
