import type { JsonObject } from "@bufbuild/protobuf";
import type { ModelCall } from "../../model/model.ts";
import { type ActContext, type ActOutcome, arm, type PreparedAct, reasonOf, records, resultOf } from "./act.ts";

/** A call of a tool that the client offers. */
export function mcpAct(call: ModelCall & { readonly server: string }, { link, toolCallId }: ActContext): PreparedAct {
  const { server, name: toolName } = call;
  const args: JsonObject = {
    name: `${server}-${toolName}`,
    args: call.args as JsonObject,
    toolCallId,
    providerIdentifier: server,
    toolName,
    serverIdentifier: server,
  };
  return {
    key: "mcpToolCall",
    args,
    run: async () => toOutcome(resultOf(await link.exec({ mcpArgs: args }), "mcpResult")),
  };
}

function toOutcome(result: JsonObject | string): ActOutcome {
  if (typeof result === "string") return { result: { error: { error: result } }, ok: false, output: result };
  const success = arm(result, "success");
  if (success !== undefined) {
    const output = records(success["content"])
      .map((item) => String(arm(item as JsonObject, "text")?.["text"] ?? "(image)"))
      .join("\n");
    return { result, ok: success["isError"] !== true, output };
  }
  const error = reasonOf(result);
  // What the client says about a missing tool or server is shown as the call's error.
  const shown = "rejected" in result || "permissionDenied" in result ? result : { error: { error } };
  return { result: shown, ok: false, output: error };
}
