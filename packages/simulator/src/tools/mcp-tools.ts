import type { McpAnswer } from "../mcp/mcp-hub.ts";
import type { ModelCall } from "../model/model.ts";
import { blockedText } from "../policy/run-hooks.ts";
import { type Refusal, refusalText, type ToolDraft, type WireResult } from "./tool-draft.ts";
import { optionalText, pick, type ToolArgs, type ToolContext, type ToolOutcome } from "./tool-run.ts";

/** A call of a tool that an MCP server offers; `server-tool` is only its display name. */
export function draftMcpCall(call: ModelCall & { readonly server: string }, context: ToolContext): ToolDraft {
  const { server, name: tool, args } = call;
  const displayName = `${server}-${tool}`;
  return {
    key: "mcpToolCall",
    args: {
      name: displayName,
      args,
      toolCallId: context.toolCallId,
      providerIdentifier: server,
      toolName: tool,
      smartModeApprovalOnly: false,
      skipApproval: false,
      serverIdentifier: server,
    },
    description: `Call ${tool} of the MCP server ${server}`,
    hook: { toolName: `MCP:${tool}`, input: args },
    actions: [{ kind: "Mcp", server, tool }],
    refuse: (refusal) => refuse(refusal, displayName),
    fail: (error) => ({ error: { error, readToolDefReminder: "" } }),
    work: async (signal) => toOutcome(await context.mcp.call({ server, tool, args }, signal)),
  };
}

function toOutcome(answer: McpAnswer): ToolOutcome {
  const { content, isError, structuredContent } = answer;
  const structure = structuredContent === undefined ? {} : { structuredContent };
  const success = { content, isError, ...structure, systemReminders: [] };
  const output = content.map(toText).join("\n");
  return { result: { success }, ok: !isError, output, ...(isError ? { keepsArgs: true } : {}) };
}

function toText(item: Readonly<Record<string, unknown>>): string {
  const wrapped = item["text"] as { readonly text: string } | undefined;
  return wrapped === undefined ? "(image)" : wrapped.text;
}

function refuse(refusal: Refusal, displayName: string): WireResult {
  if (refusal.kind === "denied")
    return { permissionDenied: { error: refusalText(refusal), isReadonly: refusal.isReadonly } };
  const reason =
    refusal.kind === "hook" ? blockedText("MCP tool", refusal.message) : `User rejected MCP: ${displayName}`;
  return { rejected: { reason, isReadonly: false } };
}

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
