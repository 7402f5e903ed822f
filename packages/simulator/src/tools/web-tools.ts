import type { ToolDraft } from "./tool-draft.ts";
import { type ToolArgs, type ToolContext, type ToolOutcome, text } from "./tool-run.ts";

const REJECTED = "User Rejected";

/** The simulator opens no sockets: an approved fetch gives a page of its own about the address. */
export function webFetchTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const url = text(input, "url");
  const args = { url, toolCallId: context.toolCallId };
  const domain = URL.canParse(url) ? new URL(url).hostname : "";
  const approved = context.policy.decide({ kind: "WebFetch", domain }).kind === "allowed";
  return {
    key: "webFetchToolCall",
    args,
    query: {
      when: "after-started",
      queryType: "webFetchRequestQuery",
      request: { args, skipApproval: false },
      responseKey: "webFetchRequestResponse",
      response: approved ? { approved: {} } : { rejected: { reason: REJECTED } },
    },
    hook: { toolName: "WebFetch", input: { url } },
    actions: [{ kind: "WebFetch", domain }],
    refuse: (refusal) => ({ rejected: { reason: refusal.kind === "hook" ? refusal.message : REJECTED } }),
    fail: (error) => ({ error: { url, error } }),
    work: () => page(url, domain),
  };
}

function page(url: string, domain: string): ToolOutcome {
  if (domain === "" || isPrivate(domain)) {
    const error = domain === "" ? `Not a web address: ${url}` : `Private address refused: ${domain}`;
    return { result: { error: { url, error } }, ok: false, output: error };
  }
  const markdown = `# ${domain}\n\nThis page was made up by Caret's simulator for ${url}; nothing was fetched.\n`;
  return { result: { success: { url, markdown } }, ok: true, output: markdown };
}

function isPrivate(host: string): boolean {
  return /^(localhost|.*\.local|.*\.internal|\[.*\]|0\.|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(
    host,
  );
}
