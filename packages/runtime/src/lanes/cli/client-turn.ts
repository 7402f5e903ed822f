import type { AgentEvent } from "@caret/protocol";
import type { LaneRequest } from "../../engine/lane.ts";
import type { AgentHost } from "./agent-host.ts";
import { BRIDGE_SERVER, prepareClientWorkspace } from "./client-workspace.ts";

/** What a turn needs whose tools belong to the client. */
export interface ClientTurn {
  /** What of a batch is to be shown: calls of the client's tools are told by the bridge, not by the agent's stream. */
  show(events: readonly AgentEvent[]): readonly AgentEvent[];
  /** The batch that was shown last has been taken: calls it mentioned may be told now. */
  taken(): void;
  /** Close the bridge to the agent. */
  leave(): void;
}

/** A turn whose tools are the agent's own needs none of this. */
const ownTurn: ClientTurn = { show: (events) => events, taken: () => undefined, leave: () => undefined };

/** Open the bridge for a turn and write the agent's workspace, if the client runs its tools. */
export async function openClientTurn(host: AgentHost, request: LaneRequest, configDir: string): Promise<ClientTurn> {
  const wanted = request.clientTools;
  if (wanted === undefined) return ownTurn;
  const { hub, command } = await host.openBridge();
  const { secret, dismiss } = hub.admit(request.turnId, { tools: wanted.tools, onCall: wanted.park });
  prepareClientWorkspace({
    directory: request.workspace,
    configDir,
    bridge: {
      ...command,
      env: { CARET_BRIDGE_SOCKET: hub.socketPath, CARET_BRIDGE_TURN: request.turnId, CARET_BRIDGE_SECRET: secret },
    },
    toolNames: wanted.tools.map(({ name }) => name),
    system: wanted.system,
    realWorkspace: wanted.realWorkspace,
  });
  return { ...hideBridgedCalls(wanted.noteMention), leave: dismiss };
}

type NoteMention = NonNullable<LaneRequest["clientTools"]>["noteMention"];

function hideBridgedCalls(noteMention: NoteMention): Pick<ClientTurn, "show" | "taken"> {
  const hidden = new Set<string>();
  let mentions: Extract<AgentEvent, { type: "tool-call" }>[] = [];
  return {
    show(events) {
      const shown = events.filter((event) => {
        if (event.type === "tool-call" && isBridged(event)) {
          hidden.add(event.callId);
          mentions.push(event);
        }
        return !("callId" in event && event.callId !== undefined && hidden.has(event.callId));
      });
      return shown.length === events.length ? events : shown;
    },
    taken() {
      for (const { name, input } of mentions) noteMention({ name, input: input as Record<string, unknown> });
      mentions = [];
    },
  };
}

/** Looking up what our own server offers is as little the client's business. */
function isBridged({ server, name, input }: Extract<AgentEvent, { type: "tool-call" }>): boolean {
  if (server === BRIDGE_SERVER) return true;
  return name === "getMcpTools" && (input as { server?: unknown }).server === BRIDGE_SERVER;
}
