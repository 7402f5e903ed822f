import type { CaretError } from "@caret/protocol";
import type { ModelDirectory } from "@caret/runtime";
import { chooseLane } from "../choose-lane.ts";
import { openLog } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import { openProbeHosts } from "../doctor/probe-hosts.ts";
import type { Host } from "../host.ts";
import { laneModels } from "./gateway-lanes.ts";

export interface ModelWork {
  readonly directory: ModelDirectory;
  readonly lane: "cli" | "sim";
  /** A turn runs somewhere, so that the agent must not be asked now. */
  readonly isBusy: boolean;
}

export async function withModels<Result>(
  host: Host,
  config: Config,
  work: (models: ModelWork) => Promise<Result>,
  onError: (error: CaretError) => void,
): Promise<Result> {
  const hosts = openProbeHosts(host, config);
  try {
    const { lane } = await chooseLane(config, hosts.cli);
    const isBusy = await turnsRun(config);
    const { directory, settled } = laneModels({ config, lane, agentHost: hosts[lane], isBusy: () => isBusy, onError });
    const result = await work({ directory, lane, isBusy });
    await settled();
    return result;
  } finally {
    await hosts.close();
  }
}

/** Whether a turn runs in any Caret that shares our log. */
export async function turnsRun(config: Config): Promise<boolean> {
  const log = openLog(config);
  try {
    return (await log.runningTurns()).length > 0;
  } finally {
    await log.close();
  }
}
