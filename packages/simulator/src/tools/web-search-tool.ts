import type { ToolDraft } from "./tool-draft.ts";
import { type ToolArgs, type ToolContext, text } from "./tool-run.ts";

const REJECTED = "User Rejected";

/** Asked before it starts; once approved it gives one made-up reference and opens no socket. */
export function webSearchTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const searchTerm = text(input, "searchTerm");
  const args = { searchTerm, toolCallId: context.toolCallId };
  const approved = context.policy.decide({ kind: "WebSearch" }).kind === "allowed";
  return {
    key: "webSearchToolCall",
    args,
    query: {
      when: "before-started",
      queryType: "webSearchRequestQuery",
      request: { args },
      responseKey: "webSearchRequestResponse",
      response: approved ? { approved: {} } : { rejected: { reason: REJECTED } },
    },
    hook: { toolName: "WebSearch", input: { search_term: searchTerm } },
    actions: [{ kind: "WebSearch" }],
    refuse: (refusal) => ({ rejected: { reason: refusal.kind === "hook" ? refusal.message : REJECTED } }),
    fail: (error) => ({ error: { error } }),
    work: () => {
      const reference = {
        title: `About ${searchTerm}`,
        url: `https://simulated.invalid/search?q=${encodeURIComponent(searchTerm)}`,
        chunk: `A made-up result of Caret's simulator for "${searchTerm}"; nothing was searched.`,
      };
      return { result: { success: { references: [reference] } }, ok: true, output: reference.chunk };
    },
  };
}
