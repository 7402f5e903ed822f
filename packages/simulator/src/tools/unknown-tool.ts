import type { ModelCall } from "../model/model.ts";
import type { ToolContext } from "./tool-context.ts";
import type { ToolDraft } from "./tool-draft.ts";

/** A name that no tool has: models invent such calls, and the agent shows them and says so. */
export function unknownTool({ name, args }: ModelCall, _context: ToolContext): ToolDraft {
  const fail = (message: string) => ({ error: { error: message } });
  return {
    key: `${name}ToolCall`,
    args,
    hook: { toolName: name, input: args },
    actions: [],
    refuse: () => fail("Rejected"),
    fail,
    work: () => ({ result: fail(`Unknown tool: ${name}`), ok: false, output: `Unknown tool: ${name}` }),
  };
}
