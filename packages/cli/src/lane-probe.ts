import type { LaneName } from "@caret/protocol";
import { type AgentHost, type ApiHost, type ListedModel, listApiModels, listCliModels } from "@caret/runtime";
import type { AgentHosts } from "./agent-hosts.ts";

/** What a lane says of itself without a turn. */
export interface LaneProbe {
  /** Rejects with what is missing. */
  ready(): Promise<unknown>;
  listModels(): Promise<readonly ListedModel[]>;
}

/** The probe of the default lane. */
export function probeOf(lane: LaneName, hosts: AgentHosts, api: () => ApiHost): LaneProbe {
  return lane === "api" ? apiProbe(api()) : cliProbe(lane === "sim" ? hosts.sim : hosts.cli);
}

function cliProbe(host: AgentHost): LaneProbe {
  return {
    ready: () => host.resolveLaunch(host.programs.command),
    listModels: () => listCliModels(host),
  };
}

/** A login is all that the API lane needs. */
function apiProbe(host: ApiHost): LaneProbe {
  const signal = (): AbortSignal => AbortSignal.timeout(READY_MS);
  return {
    ready: async () => await host.credentials("default").accessToken(signal()),
    listModels: () => listApiModels(host, signal()),
  };
}

const READY_MS = 30_000;
