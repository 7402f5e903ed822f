import type { FleetGateway } from "@caret/fleet";
import { openAgents } from "../ports/agent-ports.ts";
import { type GatewayPorts, type GatewayPortsOptions, openTurnPorts } from "../ports/gateway-ports.ts";

/** The ports of a gateway whose turns run on workers: it reads the log itself and asks workers for the rest. */
export function openFleetPorts(options: GatewayPortsOptions, fleet: FleetGateway): GatewayPorts {
  const { ticks, shown, elsewhere } = fleet;
  const { opened } = options;
  const local = openTurnPorts(options, { ticks, turnOf: shown.of, importWorkspace: fleet.placeImported });
  const agents = openAgents({ ...options, elsewhere }, local, {
    // Turns start where the agents are, and their chats are there too.
    store: { ...opened.agents, waiting: async () => [] },
    engine: { ...opened.engine, hasLostChat: async () => false },
  });
  return {
    conversations: fleet.conversations,
    sessions: fleet.sessions(local.sessions),
    agents: fleet.agents(agents),
    comparisons: fleet.comparisons,
    answers: local.answers,
    async stopTaking() {
      local.sessions.stopTaking();
      await agents.close();
    },
    async close() {
      await agents.close();
      await fleet.close();
      await local.sessions.close();
      await local.conversations.close();
      local.answers.close();
    },
  };
}
