import { join } from "node:path";
import type { CaretError, LaneName } from "@caret/protocol";
import {
  type AgentHost,
  createModelCache,
  createModelDirectory,
  listCliModels,
  type ModelDirectory,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";

export interface LaneModelsOptions {
  readonly config: Config;
  readonly lane: LaneName;
  readonly agentHost: AgentHost;
  /** Asking the agent for its models may disturb a turn of it. */
  readonly isBusy: () => boolean;
  readonly onError: (error: CaretError) => void;
}

export interface LaneModels {
  readonly directory: ModelDirectory;
  /** Resolves when nothing is being fetched. */
  settled(): Promise<unknown>;
}

/** The models of a lane: those its agent lists, kept on disk, and for real agents those the configuration names. */
export function laneModels({ config, lane, agentHost, isBusy, onError }: LaneModelsOptions): LaneModels {
  const cache = createModelCache({
    file: join(config.dataDir, "models", `${lane}.json`),
    list: () => listCliModels(agentHost),
    isBusy,
    onError,
  });
  const named = Object.entries(config.models).flatMap(([name, { enabled }]) => (enabled ? [name] : []));
  const directory = createModelDirectory({ cache, named: lane === "sim" ? [] : named, defaultModel: config.model });
  return { directory, settled: () => cache.settled() };
}
