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

/** Queries a lane without a turn. */
export interface LaneProbe {
  /** Rejects with what is missing. */
  ready(): Promise<unknown>;
  /** What a model list depends on now: the key, the environment and the program. */
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

/** The API lane needs nothing but a login. */
function apiProbe(host: ApiHost): LaneProbe {
  const signal = (): AbortSignal => AbortSignal.timeout(READY_MS);
  return {
    ready: async () => await host.credentials("default").accessToken(signal()),
    modelsFrom: async () => ({ account: await host.credentials("default").madeFrom(), state: "" }),
    listModels: () => listApiModels(host, signal()),
  };
}

const READY_MS = 30_000;
