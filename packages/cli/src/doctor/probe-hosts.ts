import { CaretError } from "@caret/protocol";
import { type Containment, childEnvironment, createSpawner, probeContainment } from "@caret/runtime";
import { type AgentHosts, createAgentHosts } from "../agent-hosts.ts";
import { openLog } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";

/** The agents of this machine, for version and model queries. No turn ever runs on these. */
export interface ProbeHosts extends AgentHosts {
  /** Whether the machine can contain the processes of a turn. */
  containment(): Promise<Containment>;
  close(): Promise<void>;
}

export function openProbeHosts(host: Host, config: Config): ProbeHosts {
  const spawner = createSpawner({ mode: "inline", dataDir: config.dataDir });
  const hosts = createAgentHosts(host, config, {
    spawner,
    containment: { kind: "none", why: "a probe needs none" },
    warm: undefined,
    openBridge: () => Promise.reject(new CaretError("internal", "A probe needs no bridge")),
    noteSecrets: () => undefined,
  });
  return {
    ...hosts,
    containment: () => probeContainment({ spawner, env: childEnvironment({ parent: host.env }) }),
    close: () => spawner.close(),
  };
}

/** Whether a turn runs in any process that shares the log: asking the agent for its models would disturb it. */
export async function isTurnRunning(config: Config): Promise<boolean> {
  const log = openLog(config);
  try {
    return (await log.runningTurns()).length > 0;
  } finally {
    await log.close();
  }
}
