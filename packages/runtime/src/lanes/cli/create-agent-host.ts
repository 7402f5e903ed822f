import { randomUUID } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { CaretError, type Secret } from "@caret/protocol";
import { configDirs } from "../../chats/chat-exists.ts";
import { cliLoginFiles } from "../../credentials/foreign-logins.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import type { Spawner } from "../../process/child-handle.ts";
import { type Containment, containingSpawner } from "../../process/containment.ts";
import { type ResolvedLaunch, resolveLaunch } from "../../process/resolve-launch.ts";
import { createWarmPool } from "../../process/warm-pool.ts";
import { type Profile, type ResolvedProfile, resolveProfile } from "../../profiles/profile.ts";
import type { Sandboxes } from "../../sandbox/sandboxes.ts";
import type { AgentPolicy } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import type { ProgramSettings } from "./agent-program.ts";
import type { AgentFiles } from "./bridged-workspace.ts";
import type { RepairSettings } from "./contract-calls.ts";
import { findCursorCli } from "./find-cursor-cli.ts";
import { openAgentSandbox } from "./open-agent-sandbox.ts";
import { createVersionProbe } from "./version-probe.ts";

export interface AgentHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly spawner: Spawner;
  readonly containment: Containment;
  /** Omitted: turns that require a sandbox are refused. */
  readonly sandboxes?: Sandboxes | undefined;
  readonly programs: ProgramSettings;
  readonly policy: AgentPolicy;
  /** Default: strict. */
  readonly repair?: RepairSettings;
  readonly clocks: AgentHost["clocks"];
  readonly maxLineBytes: number;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The CLI's configuration directory, if it is not to choose one itself. */
  readonly configDir: string | undefined;
  /** Extra variables for the agent. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** A program to start instead of the one that would be found. */
  readonly launch?: ResolvedLaunch;
  readonly warm: { readonly max: number; readonly idleMs: number } | undefined;
  readonly openBridge: AgentHost["openBridge"];
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
}

/** Many agents may flood at once while only the log consumes their output: a small read-ahead is enough for each. */
const READ_AHEAD_BYTES = 256 * 1024;

export function createAgentHost(options: AgentHostOptions): AgentHost {
  const { env, platform, spawner, containment, clocks } = options;
  const monotonic = (): number => performance.now();
  const spawn: AgentHost["spawn"] = (command, { seated = false } = {}) =>
    containingSpawner(spawner, containment).spawn(command, {
      drainMs: clocks.drainMs,
      readAheadBytes: READ_AHEAD_BYTES,
      seated,
    });
  const warm = options.warm === undefined ? undefined : createWarmPool({ ...options.warm, spawn, now: monotonic });
  const versions = createVersionProbe(spawner);
  const machine = { platform, env, listDirectory, exists };
  const environments = new WeakMap<ResolvedProfile, Readonly<Record<string, string>>>();
  const environment: AgentHost["environment"] = (profile) => {
    const known = environments.get(profile);
    if (known !== undefined) return known;
    const made = childEnvironment({ parent: env, allow: ["CARET_SIM_*"], set: agentVariables(options, profile) });
    environments.set(profile, made);
    return made;
  };
  const [ownConfigDir = ""] = configDirs(options);
  const { sandboxes, home, configDir, openBridge } = options;
  const sandboxing = { sandboxes, host: { environment, openBridge }, platform, home, configDir };

  return {
    programs: options.programs,
    policy: options.policy,
    repair: options.repair ?? { version: "v1", autoFallback: false },
    clocks,
    maxLineBytes: options.maxLineBytes,
    platform,
    async resolveLaunch(command) {
      if (command !== undefined) return resolveLaunch({ ...machine, command });
      if (options.launch !== undefined) return options.launch;
      // The program may be another vendor's: do not pass it any key or login.
      const askVersion = (launch: ResolvedLaunch) => versions.ask(launch, environmentOfStranger(env));
      return await findCursorCli({ ...machine, home: options.home, askVersion });
    },
    environment,
    resolveProfile: (name) => findProfile(options, name, environment),
    agentFiles: (profile) => agentFiles(environment(profile), profile.configDir ?? options.configDir, options.home),
    filesReadAtStart(profile) {
      const env = environment(profile);
      const home = env["HOME"] || options.home;
      const { mcpFiles } = agentFiles(env, profile.configDir ?? options.configDir, options.home);
      return [...cliLoginFiles({ home, env, platform }), ...mcpFiles];
    },
    chatConfigDir: () => options.configDir ?? ownConfigDir,
    spawn,
    spawner,
    warm,
    versions,
    openBridge: options.openBridge,
    openSandbox: (request, prepared) => openAgentSandbox(sandboxing, request, prepared),
    noteSecrets: options.noteSecrets,
    newId: randomUUID,
    monotonic,
    wallClock: Date.now,
    async close() {
      await warm?.close();
    },
  };
}

function environmentOfStranger(parent: AgentHostOptions["env"]): Record<string, string> {
  const environment = childEnvironment({ parent, allow: ["CARET_SIM_*"] });
  const isOurs = (name: string): boolean => !name.toUpperCase().startsWith("CURSOR_");
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isOurs(name)));
}

function agentVariables({ configDir, agentEnv }: AgentHostOptions, profile: ResolvedProfile): Record<string, string> {
  const directory = profile.configDir ?? configDir;
  const keys = Object.entries(profile.env).map(([name, secret]) => [name, secret.reveal()] as const);
  return {
    ...agentEnv,
    ...(directory === undefined ? {} : { CURSOR_CONFIG_DIR: directory }),
    ...Object.fromEntries(keys),
  };
}

/** According to the agent's environment, whose home may differ from ours. */
function agentFiles(env: Readonly<Record<string, string>>, configDir: string | undefined, ourHome: string): AgentFiles {
  const home = env["HOME"] || ourHome;
  const directories = configDirs({ env, home });
  const { CURSOR_DATA_DIR: dataDir } = env;
  const used = configDir ?? directories[0] ?? join(home, ".cursor");
  return {
    configDir: used,
    projectRoots: [...new Set([used, ...(dataDir ? [dataDir] : [])])],
    // Cursor's CLI also reads Claude Code's file.
    mcpFiles: [...directories.map((directory) => join(directory, "mcp.json")), join(home, ".claude.json")],
  };
}

const bareProfile: ResolvedProfile = { env: {}, configDir: undefined };

async function findProfile(
  { profiles, uid, platform }: AgentHostOptions,
  name: string,
  environment: AgentHost["environment"],
): Promise<ResolvedProfile> {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined)
    return await resolveProfile({ name, profile, env: environment(bareProfile), uid, platform });
  if (name === "default") return bareProfile;
  throw new CaretError("invalid-config", `There is no profile ${name}`, {
    fix: `Add \`profiles.${name}\` to caret.json.`,
  });
}

function listDirectory(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // no directory: nothing is installed there
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // a loop of links, or a directory we may not enter: treat it as missing
  }
}
