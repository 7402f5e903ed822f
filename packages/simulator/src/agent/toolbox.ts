import { join } from "node:path";
import type { McpHub } from "../mcp/mcp-hub.ts";
import type { ModelCall, NativeToolName, OfferedTool } from "../model/model.ts";
import { loadPolicy, type Policy } from "../policy/load-policy.ts";
import { usableTools } from "../policy/usable-tools.ts";
import type { Ids } from "../process/ids.ts";
import type { PreparedCall, ToolContext } from "../tools/tool-run.ts";
import type { AgentTurn } from "./stage.ts";

export interface ToolboxOptions {
  readonly turn: AgentTurn;
  readonly requestId: string;
  readonly transcriptPath: string;
  readonly ids: Ids;
}

/** The tools of one turn: the native ones its policy leaves, and those of its MCP servers. */
export interface Toolbox {
  readonly nativeTools: readonly NativeToolName[];
  /** As they are now: a server may notify of changes. */
  readonly offeredTools: readonly OfferedTool[];
  prepare(call: ModelCall, toolCallId: string): PreparedCall;
  /** Runs the hooks for the beginning or the end of the turn. */
  runHooks(step: "sessionStart" | "stop" | "sessionEnd", payload: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits for commands in the background, and gives their events. */
  settleShells(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends the MCP servers. */
  close(): Promise<void>;
}

/** Connects the MCP servers, so it may take its time: the turn's first events are shown before. */
export async function openToolbox({ turn, requestId, transcriptPath, ids }: ToolboxOptions): Promise<Toolbox> {
  const { simulation, mode, force, workspace, start } = turn;
  const { configDir, host } = simulation;
  // Loaded on demand: the turn's first bytes must not wait for twenty modules.
  const { prepareCall } = await import("../tools/prepare-call.ts");
  const { createBackgroundShells } = await import("../tools/background-shells.ts");
  const shells = createBackgroundShells({ timeoutMs: turn.backgroundShellTimeoutMs, signal: simulation.stop.signal });
  const policy: Policy = loadPolicy({ configDir, workspace, force, mode });
  const env = { ...host.env, CURSOR_CONVERSATION_ID: start.sessionId, CURSOR_TRANSCRIPT_PATH: transcriptPath };
  const mcp: McpHub = await connect(turn);
  const shared: Omit<ToolContext, "toolCallId"> = {
    workspace,
    mode,
    policy,
    mcp,
    env,
    now: simulation.streamNow,
    turn: {
      conversationId: start.sessionId,
      generationId: requestId,
      model: turn.model.id,
      cursorVersion: simulation.version,
      userEmail: null,
      transcriptPath,
      workspace,
    },
    outputDir: join(turn.projectDir, "agent-tools"),
    todos: { items: [] },
    shells,
    newId: ids.uuid,
    ...(turn.asker === undefined ? {} : { asker: turn.asker }),
  };
  return {
    nativeTools: usableTools(policy, turn.excludedTools),
    get offeredTools() {
      return mcp.tools;
    },
    prepare: (call, toolCallId) => prepareCall(call, { ...shared, toolCallId }),
    async runHooks(step, payload) {
      await policy.runHooks({ step, payload, turn: shared.turn, env, signal: simulation.stop.signal });
    },
    settleShells: shells.settle,
    close: async () => {
      if (turn.mcp === undefined) await mcp.close();
    },
  };
}

async function connect({ simulation, workspace, approveMcps, mcp }: AgentTurn): Promise<McpHub> {
  if (mcp !== undefined) return await mcp();
  const { connectMcp } = await import("../mcp/mcp-hub.ts");
  return connectMcp({ workspace, configDir: simulation.configDir, approveMcps, env: simulation.host.env });
}
