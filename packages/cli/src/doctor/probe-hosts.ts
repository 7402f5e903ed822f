import { CaretError } from "@caret/protocol";
import { type Containment, childEnvironment, createSpawner, probeContainment } from "@caret/runtime";
import { type AgentHosts, createAgentHosts } from "../agent-hosts.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";

/** The agents of this machine, to be asked about themselves. No turn ever runs on these. */
export interface ProbeHosts extends AgentHosts {
  /** Whether the machine can hold the processes of a turn together. */
  containment(): Promise<Containment>;
  close(): Promise<void>;
}

export function openProbeHosts(host: Host, config: Config): ProbeHosts {
  const spawner = createSpawner({ mode: "inline", dataDir: config.dataDir });
  const hosts = createAgentHosts(host, config, {
    spawner,
    containment: { kind: "none", why: "a question needs none" },
    warm: undefined,
    openBridge: () => Promise.reject(new CaretError("internal", "A question needs no bridge")),
    noteSecrets: () => undefined,
  });
  return {
    ...hosts,
    containment: () => probeContainment({ spawner, env: childEnvironment({ parent: host.env }) }),
    close: () => spawner.close(),
  };
}
