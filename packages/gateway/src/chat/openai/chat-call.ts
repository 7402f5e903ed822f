import type { ClientTool } from "@caret/protocol";
import type { ClientCall } from "../answer-reader.ts";
import { offeredToolOf } from "../offered-tools.ts";
import { customInputOf } from "./custom-tool.ts";

/** A call that the client is to run, as a message of Chat Completions holds it. */
export type ChatCall =
  | { readonly id: string; readonly type: "function"; readonly function: ChatFunction }
  | {
      readonly id: string;
      readonly type: "custom";
      readonly custom: { readonly name: string; readonly input: string };
    };

interface ChatFunction {
  readonly name: string;
  readonly arguments: string;
}

/** In the form that its tool was offered in. */
export function toChatCall(call: ClientCall, tools: readonly ClientTool[]): ChatCall {
  const { callId: id, name, input } = call;
  if (offeredToolOf(tools, call)?.form === "custom")
    return { id, type: "custom", custom: { name, input: customInputOf(input) } };
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}
