import type { FleetGateway } from "@caret/fleet";
import type { RuntimeAgents, RuntimeComparisons } from "@caret/runtime";
import { type GatewayPorts, type GatewayPortsOptions, openTurnPorts } from "../serve/gateway-ports.ts";
import { unavailablePort } from "./unavailable-port.ts";

/** The ports of a gateway whose turns run on workers: it reads the log itself, and asks workers for the rest. */
export function openFleetPorts(options: GatewayPortsOptions, fleet: FleetGateway): GatewayPorts {
  const { ticks, shown } = fleet;
  const local = openTurnPorts(options, { ticks, turnOf: shown.of });
  return {
    conversations: fleet.conversations,
    sessions: fleet.sessions(local.sessions),
    agents: unavailablePort<RuntimeAgents>("Named agents"),
    comparisons: unavailablePort<RuntimeComparisons>("Comparisons"),
    answers: local.answers,
    async stopTaking() {
      local.sessions.stopTaking();
    },
    async close() {
      await fleet.close();
      await local.sessions.close();
      await local.conversations.close();
      local.answers.close();
    },
  };
}
