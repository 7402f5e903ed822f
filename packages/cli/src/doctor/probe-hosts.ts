import { CaretError } from "@caret/protocol";
import {
  type ApiHost,
  type Containment,
  childEnvironment,
  createSpawner,
  type MachineSandboxes,
  probeContainment,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { type AgentHosts, createAgentHosts } from "../engine/agent-hosts.ts";
import { createApiHost } from "../engine/api-host.ts";
import { openLog } from "../engine/compose.ts";
import { machineSandboxes } from "../engine/machine-sandboxes.ts";
import type { Host } from "../host/host.ts";

/** This machine's agents, for version and model queries. They never run a turn. */
export interface ProbeHosts extends AgentHosts {
  /** The host the API lane would run with; opened by the first call. */
  api(): ApiHost;
  /** The sandboxes turns would get. */
  readonly sandboxes: MachineSandboxes;
  /** Whether the machine can contain a turn's processes. */
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
  let api: ApiHost | undefined;
  return {
    ...hosts,
    api() {
      api ??= createApiHost(host, config, { noteSecrets: () => undefined });
      return api;
    },
    sandboxes: machineSandboxes(host, config, spawner),
    containment: () => probeContainment({ spawner, env: childEnvironment({ parent: host.env }) }),
    async close() {
      api?.links.close();
      await api?.conversations.close();
      await spawner.close();
    },
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
