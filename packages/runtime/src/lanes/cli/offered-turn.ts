import type { AgentEvent } from "@caret/protocol";
import type { ToolCall } from "../../calls/tool-call.ts";
import type { ChildHandle, CoveredFile } from "../../process/child-handle.ts";
import type { LaneEntry, LaneRequest, OfferedTools } from "../lane.ts";
import { offerTools, type ToolOffer } from "../offered-tools.ts";
import type { ServerCommand } from "../registration.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentFiles, type BridgedWorkspace, prepareBridgedWorkspace } from "./bridged-workspace.ts";

/** How an agent starts its end of the bridge. It is also written to the agent's workspace and approved there. */
export interface BridgeServer extends ServerCommand {
  readonly name: string;
}

/** What a turn needs if the client or the gateway runs its tools, or if its agent has Caret's server in addition to its own tools. */
export interface OfferedTurn {
  /** The agent runs now. `onAnswered` is called for each call that the agent itself will not report as done. */
  attach(child: ChildHandle, onAnswered: (callId: string) => void): void;
  /** Files to hide from the agent. */
  readonly covered: readonly CoveredFile[];
  /** The bridge, for agents that get their MCP servers with the session. */
  readonly servers: readonly BridgeServer[];
  /** Overrides of the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted if the agent must be stopped because of how it uses the tools. */
  readonly signal: AbortSignal | undefined;
  /** Filters a batch to what is shown: calls of offered tools are logged where they are answered, not from the agent's stream. */
  show(entries: readonly LaneEntry[]): readonly LaneEntry[];
  /** The batch shown last was taken: calls it mentioned may be logged now. */
  taken(): void;
  /** What the turn's end waits for: calls that still run, or something still to report. Omitted: nothing. Never rejects. */
  readonly unfinished?: () => Promise<unknown>;
  /** Stops answering. */
  leave(): void;
}

/** A turn with only the agent's own tools needs none of this. */
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
 * Opens the bridge for a turn of the official CLI and writes the agent's workspace, if its tools are not its own. Waits until the agent
 * may start; rejects if the signal aborts before.
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

/** An agent that says anything of its own has started, whether or not it has looked at its tools. */
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

/** Looking up our own server's offer is an internal detail as well. */
function isBridged({ server, name, input }: Extract<AgentEvent, { type: "tool-call" }>, ownServer: string): boolean {
  if (server === ownServer) return true;
  return name === "getMcpTools" && (input as { server?: unknown }).server === ownServer;
}
