import { optionalText, pick, type ToolArgs } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";

/** The agent looks tools of MCP servers up before it calls them. */
export function getMcpToolsTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const server = optionalText(input, "server");
  const toolName = optionalText(input, "toolName");
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "getMcpToolsToolCall",
    args: { ...pick(input, ["server", "toolName", "pattern"]), toolCallId: context.toolCallId },
    hook: { toolName: "GetMcpTools", input: pick(input, ["server", "toolName"]) },
    actions: [],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: () => {
      const found = context.mcp.tools
        .filter((tool) => server === undefined || tool.server === server)
        .filter((tool) => toolName === undefined || tool.name === toolName)
        .map(({ name, description, inputSchema }) => ({ tool: name, description, inputSchema }));
      if (found.length === 0) return { result: fail("No such MCP tool"), ok: false, output: "No such MCP tool" };
      const content = JSON.stringify(toolName === undefined ? found : found[0], null, 2);
      return { result: { success: { content } }, ok: true, output: content };
    },
  };
}
