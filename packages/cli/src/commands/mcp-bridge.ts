import { CaretError } from "@caret/protocol";
import { connectBridge, offerTools, type ResolvedCall } from "@caret/runtime/bridge";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { version } from "../version.ts";

/** Progress is told this often while a call waits for its client: it keeps the agent's own time limit from running out. */
const PROGRESS_MS = 5_000;

/** Started by the agent as an MCP server: offers the client's tools to it and carries its calls to the gateway. */
export function addMcpBridgeCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  program
    .command("mcp-bridge", { hidden: true })
    .description("the MCP server through which an agent reaches the tools of a client")
    .action(async () => {
      await serveTools(host);
      done(exitCodes.completed);
    });
}

async function serveTools({ env }: Host): Promise<void> {
  const bridge = await connectBridge({
    socketPath: required(env, "CARET_BRIDGE_SOCKET"),
    turnId: required(env, "CARET_BRIDGE_TURN"),
    secret: required(env, "CARET_BRIDGE_SECRET"),
  });
  const offer = offerTools(bridge.tools);
  const server = new Server(
    { name: "caret", version },
    { capabilities: { tools: {} }, ...(offer.instructions === "" ? {} : { instructions: offer.instructions }) },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: offer.tools.map(({ inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: { type: "object" as const, ...inputSchema },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const call: ResolvedCall | undefined = offer.resolve(params.name, params.arguments ?? {});
    if (call === undefined) return textResult(`There is no tool ${params.name}.`, true);
    const token = params._meta?.progressToken;
    let progress = 0;
    const timer = setInterval(() => {
      progress += 1;
      if (token !== undefined)
        void context.mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress } });
    }, PROGRESS_MS);
    try {
      const { text, isError } = await bridge.call(call.name, call.input, context.mcpReq.signal);
      return textResult(text, isError);
    } finally {
      clearInterval(timer);
    }
  });
  const left = Promise.withResolvers<void>();
  server.onclose = left.resolve;
  await server.connect(new StdioServerTransport());
  await Promise.race([left.promise, bridge.closed]);
  bridge.close();
  await server.close();
}

function textResult(text: string, isError: boolean) {
  return { content: [{ type: "text" as const, text }], isError };
}

function required(env: Host["env"], name: string): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw new CaretError("invalid-request", `${name} is not set`, {
    fix: "This command is started by an agent that Caret runs; it is of no use by hand.",
  });
}
