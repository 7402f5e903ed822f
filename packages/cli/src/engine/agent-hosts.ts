import { join } from "node:path";
import { type AgentHost, type AgentHostOptions, createAgentHost } from "@caret/runtime";
import { simulatorCommand } from "@caret/simulator/command";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

/** Parts of an agent host that depend on its purpose rather than on the settings. */
export type HostParts = Pick<
  AgentHostOptions,
  "spawner" | "containment" | "sandboxes" | "warm" | "openBridge" | "noteSecrets"
>;

/** The host each lane runs its agents with. */
export interface AgentHosts {
  readonly cli: AgentHost;
  readonly sim: AgentHost;
}

export function createAgentHosts(host: Host, config: Config, parts: HostParts): AgentHosts {
  return { cli: cliHost(host, config, parts), sim: simHost(host, config, parts) };
}

function cliHost(host: Host, config: Config, parts: HostParts): AgentHost {
  const { cli, clocks } = config;
  return createAgentHost({
    ...parts,
    env: host.env,
    home: host.home,
    platform: host.platform,
    uid: host.uid,
    programs: { command: cli.command, args: cli.args, promptAsArg: cli.promptAsArg, models: config.models },
    policy: { trust: cli.trust, approveMcps: cli.approveMcps, sandbox: cli.sandbox, maxArgBytes: cli.maxArgBytes },
    repair: repairSettings(host, config),
    clocks,
    maxLineBytes: config.limits.lineBytes,
    profiles: config.profiles,
    configDir: cli.configDir,
    agentEnv: cli.env,
  });
}

/** The simulator is the same lane over another program, with its own configuration directory. */
function simHost(host: Host, config: Config, parts: HostParts): AgentHost {
  const configDir = join(config.dataDir, "simulator");
  const cli: Config["cli"] = { ...config.cli, command: undefined, args: [], configDir };
  const agentHost = cliHost(host, { ...config, cli, models: {}, profiles: {} }, parts);
  return { ...agentHost, resolveLaunch: async () => simulatorCommand() };
}

/** How tool calls in the agent's stream are repaired: by the settings, else by the variables of OpenCode's older plugin. */
export function repairSettings({ env }: Pick<Host, "env">, { tools }: Pick<Config, "tools">): AgentHost["repair"] {
  const version = env["CURSOR_ACP_PROVIDER_BOUNDARY"]?.trim().toLowerCase();
  const fallback = env["CURSOR_ACP_PROVIDER_BOUNDARY_AUTOFALLBACK"]?.trim().toLowerCase() ?? "";
  return {
    version: tools.boundary ?? (version === "legacy" ? "legacy" : "v1"),
    autoFallback: tools.boundaryFallback ?? !["false", "0", "off", "no"].includes(fallback),
  };
}
