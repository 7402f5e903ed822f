import type { AgentEvent } from "@caret/protocol";
import type { ToolCall } from "../../calls/tool-call.ts";
import type { ChildHandle, CoveredFile } from "../../process/child-handle.ts";
import type { LaneEntry, LaneRequest, OfferedTools } from "../lane.ts";
import { offerTools, type ToolOffer } from "../offered-tools.ts";
import type { ServerCommand } from "../registration.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentFiles, type BridgedWorkspace, prepareBridgedWorkspace } from "./bridged-workspace.ts";

/** How an agent starts its end of the bridge. It is written into the agent's workspace as well, and approved there. */
export interface BridgeServer extends ServerCommand {
  readonly name: string;
}

/** What a turn needs whose tools the client or the gateway runs, or whose agent has Caret's server besides its own tools. */
export interface OfferedTurn {
  /** The agent runs now. `onAnswered` is called with each call that the agent itself will not report as done. */
  attach(child: ChildHandle, onAnswered: (callId: string) => void): void;
  /** Files that the agent is not to see. */
  readonly covered: readonly CoveredFile[];
  /** The bridge, for agents that are given their MCP servers with the session. */
  readonly servers: readonly BridgeServer[];
  /** What the agent's environment has in place of the usual. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the agent must be stopped for the way it uses the tools. */
  readonly signal: AbortSignal | undefined;
  /** What of a batch is to be shown: calls of offered tools are logged where they are answered, not from the agent's stream. */
  show(entries: readonly LaneEntry[]): readonly LaneEntry[];
  /** The batch that was shown last has been taken: calls it mentioned may be logged now. */
  taken(): void;
  /** What the turn's end waits for: calls that still run, something that is still to be said. Absent: nothing. Never rejects. */
  readonly unfinished?: () => Promise<unknown>;
  /** Nothing more is answered. */
  leave(): void;
}

/** A turn whose tools are the agent's own, and no others, needs none of this. */
export const ownTurn: OfferedTurn = {
  attach: () => undefined,
  covered: [],
  servers: [],
  env: {},
  signal: undefined,
  show: (entries) => entries,
  taken: () => undefined,
  leave: () => undefined,
};

/**
 * Open the bridge for a turn of the official CLI and write the agent's workspace, if its tools are not its own. Waits until
 * the agent may start; rejects when the signal is aborted meanwhile.
 */
export async function openBridgedTurn(
  host: AgentHost,
  request: LaneRequest,
  agentFiles: AgentFiles,
  signal: AbortSignal,
): Promise<OfferedTurn> {
  const { offered, turnId } = request;
  if (offered === undefined) return ownTurn;
  const { hub, command } = await host.openBridge();
  const mayGrow = offered.onToolsChange !== undefined;
  const admission = await hub.admit(turnId, { tools: offered.tools, mayGrow, onCall: offered.call }, signal);
  const { secret, dismiss } = admission;
  let offer = offerTools(offered.tools, { mayGrow });
  const env = { CARET_BRIDGE_SOCKET: hub.socketPath, CARET_BRIDGE_TURN: turnId, CARET_BRIDGE_SECRET: secret };
  let bridged: BridgedWorkspace;
  try {
    bridged = prepareBridgedWorkspace({
      directory: request.workspace,
      agentFiles,
      bridge: { ...command, env },
      toolNames: namesIn(offer),
      system: offered.system,
      realWorkspace: offered.realWorkspace,
    });
  } catch (reason) {
    dismiss();
    throw reason;
  }
  offered.onToolsChange?.((tools) => {
    offer = offerTools(tools, { mayGrow });
    bridged.allowTools(namesIn(offer));
    admission.offer(tools);
  });
  const { show, taken } = hideBridgedCalls(offered, (name, input) => offer.resolve(name, input), bridged.server);
  return {
    ...ownTurn,
    covered: bridged.covered,
    servers: [{ name: bridged.server, command: command.file, args: command.args, env }],
    show(entries) {
      if (entries.some(isAtWork)) admission.started();
      return show(entries);
    },
    taken,
    leave: dismiss,
  };
}

function namesIn({ tools }: ToolOffer): readonly string[] {
  return tools.map(({ name }) => name);
}

/** An agent that says anything of its own has started, whether it has looked at its tools or not. */
function isAtWork({ event }: LaneEntry): boolean {
  return event.type !== "session-ready" && event.type !== "notice";
}

function hideBridgedCalls(
  { announce }: OfferedTools,
  resolve: ToolOffer["resolve"],
  ownServer: string,
): Pick<OfferedTurn, "show" | "taken"> {
  const hidden = new Set<string>();
  let mentions: ToolCall[] = [];
  return {
    show(entries) {
      const shown = entries.filter(({ event }) => {
        if (event.type === "tool-call" && isBridged(event, ownServer)) {
          hidden.add(event.callId);
          const mentioned = { name: event.name, input: event.input as Record<string, unknown> };
          mentions.push(resolve(mentioned.name, mentioned.input) ?? mentioned);
        }
        return !("callId" in event && event.callId !== undefined && hidden.has(event.callId));
      });
      return shown.length === entries.length ? entries : shown;
    },
    taken() {
      for (const call of mentions) announce(call);
      mentions = [];
    },
  };
}

/** Looking up what our own server offers is as little anybody's business. */
function isBridged({ server, name, input }: Extract<AgentEvent, { type: "tool-call" }>, ownServer: string): boolean {
  if (server === ownServer) return true;
  return name === "getMcpTools" && (input as { server?: unknown }).server === ownServer;
}
