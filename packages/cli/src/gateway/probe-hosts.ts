import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import {
  type AgentHost,
  type Containment,
  childEnvironment,
  createAgentHost,
  createSpawner,
  probeContainment,
} from "@caret/runtime";
import { simulatorCommand } from "@caret/simulator";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";

/** The agents of this machine, to be asked about themselves. No turn ever runs on these. */
export interface ProbeHosts {
  readonly cli: AgentHost;
  readonly sim: AgentHost;
  /** Whether the machine can hold the processes of a turn together. */
  containment(): Promise<Containment>;
  close(): Promise<void>;
}

export function openProbeHosts(host: Host, config: Config): ProbeHosts {
  const spawner = createSpawner({ mode: "inline", dataDir: config.dataDir });
  const hostFor = (cli: Config["cli"], own: Pick<Config, "models" | "profiles">): AgentHost =>
    createAgentHost({
      env: host.env,
      home: host.home,
      platform: host.platform,
      uid: host.uid,
      spawner,
      containment: { kind: "none", why: "a question needs none" },
      programs: { command: cli.command, args: cli.args, promptAsArg: cli.promptAsArg, models: own.models },
      policy: { trust: cli.trust, approveMcps: false, sandbox: cli.sandbox, maxArgBytes: cli.maxArgBytes },
      clocks: config.clocks,
      maxLineBytes: config.limits.lineBytes,
      profiles: own.profiles,
      configDir: cli.configDir,
      agentEnv: cli.env,
      warm: undefined,
      openBridge: () => Promise.reject(new CaretError("internal", "A question needs no bridge")),
      noteSecrets: () => undefined,
    });
  const simulated = { ...config.cli, command: undefined, args: [], configDir: join(config.dataDir, "simulator") };
  const sim = hostFor(simulated, { models: {}, profiles: {} });
  return {
    cli: hostFor(config.cli, config),
    sim: { ...sim, resolveLaunch: () => simulatorCommand() },
    containment: () => probeContainment({ spawner, env: childEnvironment({ parent: host.env }) }),
    close: () => spawner.close(),
  };
}

/** The lane that `auto` means: the agent's own CLI wherever there is one. */
export function laneOf(config: Config, { cli }: ProbeHosts): "cli" | "sim" {
  if (config.lane !== "auto") return config.lane;
  if (config.cli.command !== undefined || Object.keys(config.models).length > 0) return "cli";
  try {
    cli.resolveLaunch(undefined);
    return "cli";
  } catch {
    return "sim"; // there is none to be found
  }
}
