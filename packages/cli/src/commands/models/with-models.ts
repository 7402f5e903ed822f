import type { CaretError, DirectoryModel, LaneName } from "@caret/protocol";
import type { RuntimeModels } from "@caret/runtime";
import type { Config } from "../../config/config-schema.ts";
import { isTurnRunning, openProbeHosts } from "../../doctor/probe-hosts.ts";
import { chooseLane } from "../../engine/choose-lane.ts";
import { probeOf } from "../../engine/lane-probe.ts";
import type { Host } from "../../host/host.ts";
import { laneModels } from "../../ports/gateway-lanes.ts";
import { withProgress } from "../../terminal/progress.ts";

export interface ModelWork {
  readonly directory: RuntimeModels;
  readonly lane: LaneName;
  /** A turn is running, so the agent must not be asked for its models now. */
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
    const isBusy = await isTurnRunning(config);
    const probe = probeOf(lane, hosts, hosts.api);
    const { directory, settled } = laneModels({ config, lane, probe, isBusy: () => isBusy, onError });
    const asked = (ask: () => Promise<readonly DirectoryModel[]>) => withProgress(host, "Asking for the models", ask);
    const shown = { ...directory, list: () => asked(directory.list), refresh: () => asked(directory.refresh) };
    const result = await work({ directory: shown, lane, isBusy });
    await settled();
    return result;
  } finally {
    await hosts.close();
  }
}
