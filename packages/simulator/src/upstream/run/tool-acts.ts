import { type ModelCall, type NativeToolName, nativeToolNames } from "../../model/model.ts";
import type { Act, ActContext, PreparedAct } from "./act.ts";
import { askingActs } from "./asking-acts.ts";
import { fileActs } from "./file-acts.ts";
import { mcpAct } from "./mcp-act.ts";
import { searchActs } from "./search-acts.ts";
import { shellAct } from "./shell-act.ts";

const acts: Readonly<Record<NativeToolName, Act>> = { shell: shellAct, ...fileActs, ...searchActs, ...askingActs };

/** A call of one of the agent's tools, or of one that the client offers. */
export function prepareAct(call: ModelCall, context: ActContext): PreparedAct {
  if (call.server !== undefined) return mcpAct({ ...call, server: call.server }, context);
  const name = nativeToolNames.find((native) => native === call.name);
  if (name !== undefined) return acts[name](call.args, context);
  const error = `There is no tool ${call.name}`;
  return { key: "truncatedToolCall", args: {}, run: async () => ({ result: {}, ok: false, output: error }) };
}
