import type { LaneName } from "@caret/protocol";
import {
  type AgentHost,
  type ApiHost,
  cliModelsFrom,
  type ListedModel,
  listApiModels,
  listCliModels,
  type ModelListOrigin,
} from "@caret/runtime";
import type { AgentHosts } from "./agent-hosts.ts";

/** What a lane says of itself without a turn. */
export interface LaneProbe {
  /** Rejects with what is missing. */
  ready(): Promise<unknown>;
  /** What models would be listed with now: the key, the environment and the program. */
  modelsFrom(): Promise<ModelListOrigin>;
  listModels(): Promise<readonly ListedModel[]>;
}

/** The probe of the default lane. */
export function probeOf(lane: LaneName, hosts: AgentHosts, api: () => ApiHost): LaneProbe {
  return lane === "api" ? apiProbe(api()) : cliProbe(lane === "sim" ? hosts.sim : hosts.cli);
}

function cliProbe(host: AgentHost): LaneProbe {
  return {
    ready: () => host.resolveLaunch(host.programs.command),
    modelsFrom: () => cliModelsFrom(host),
    listModels: () => listCliModels(host),
  };
}

/** A login is all that the API lane needs. */
function apiProbe(host: ApiHost): LaneProbe {
  const signal = (): AbortSignal => AbortSignal.timeout(READY_MS);
  return {
    ready: async () => await host.credentials("default").accessToken(signal()),
    modelsFrom: async () => ({ account: await host.credentials("default").madeFrom(), state: "" }),
    listModels: () => listApiModels(host, signal()),
  };
}

const READY_MS = 30_000;
