import { CaretError } from "@caret/protocol";
import { type CallToolResult, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { type CallProgress, startProgress } from "./call-progress.ts";
import { confirmBy } from "./confirm-approval.ts";
import { createDispatchCalls } from "./dispatch-calls.ts";
import type { DispatchOptions } from "./dispatch-options.ts";
import { dispatchTools, type HostTool } from "./dispatch-tools.ts";
import { addSessionResources } from "./session-resources.ts";
import { toToolError, toToolResult } from "./tool-result.ts";
import type { TurnReport } from "./turn-report.ts";

const INSTRUCTIONS = `Hands work to Cursor's coding agents. \`run\` gives an agent a task and waits; \`start\` does not wait. Both give a \`session\`, the handle for every later call.
A result says in \`state\` how the turn stands: \`completed\`, \`failed\` and \`cancelled\` are ends; \`running\` means call \`result\`; \`waiting\` means the agent asks something, in \`ask\`: put it to the user unless you may decide it, then call \`answer\`.
The agent sees nothing of your conversation: put everything it has to know into the prompt. Use the same session to go on with the same agent.`;

/** A host answers this automatically, without asking anyone. */
const ROOTS_MS = 5_000;

/** An MCP server that hands work to agents, for one host. The same over every transport. */
export function createDispatchServer(options: DispatchOptions): McpServer {
  const server = new McpServer({ name: "caret", version: options.version }, { instructions: INSTRUCTIONS });
  for (const tool of dispatchTools(createDispatchCalls(options), options)) {
    const { name, description, annotations, input: inputSchema } = tool;
    server.registerTool(name, { description, annotations, inputSchema }, (input, context) =>
      callTool(tool, input, { server, context, options }),
    );
  }
  addSessionResources(server, options.client);
  return server;
}

interface CallParts {
  readonly server: McpServer;
  readonly context: ServerContext;
  readonly options: DispatchOptions;
}

async function callTool(
  { perform }: HostTool,
  input: unknown,
  { server, context, options }: CallParts,
): Promise<CallToolResult> {
  const progress = progressOf(context);
  const call = {
    signal: context.mcpReq.signal,
    roots: () => rootsOf(server, context),
    onEvents: progress.note,
    confirm: confirmBy(server, context),
  };
  try {
    const value = await perform(input, call);
    return toToolResult(value, (value as Partial<TurnReport>).state === "failed");
  } catch (reason) {
    const error = CaretError.from(reason);
    if (error.code === "internal") options.onError(error);
    return toToolError(error, options.command);
  } finally {
    progress.end();
  }
}

/** Sends progress only to hosts that asked for it. */
function progressOf({ mcpReq }: ServerContext): CallProgress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { note: () => undefined, end: () => undefined };
  return startProgress((progress, message) => {
    const sent = mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
    sent.catch(() => undefined); // the host has left, and its call with it
  });
}

/** Asked within the call, since a host need not have another stream open. Hosts of the newest protocol cannot be asked. */
async function rootsOf({ server }: McpServer, { mcpReq }: ServerContext): Promise<readonly string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  try {
    const { roots } = await mcpReq.send({ method: "roots/list" }, { timeout: ROOTS_MS, signal: mcpReq.signal });
    return roots.map(({ uri }) => uri);
  } catch {
    return []; // a host that fails to answer has no roots
  }
}
