import type { Secret } from "@caret/protocol";
import type { ChildCommand, ChildHandle, Spawner, SpawnOptions } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { WarmPool } from "../../process/warm-pool.ts";
import type { ResolvedProfile } from "../../profiles/profile.ts";
import type { OpenSandbox } from "../../sandbox/sandboxes.ts";
import type { BridgeHub } from "../bridge/bridge-hub.ts";
import type { LaneRequest } from "../lane.ts";
import type { ClockSettings } from "../turn-clocks.ts";
import type { AgentPolicy } from "./agent-arguments.ts";
import type { ProgramSettings } from "./agent-program.ts";
import type { AgentFiles } from "./bridged-workspace.ts";
import type { RepairSettings } from "./contract-calls.ts";
import type { Prepared } from "./start-agent.ts";
import type { VersionProbe } from "./version-probe.ts";

/** What the CLI lane needs from the machine and the configuration, assembled once at the start. */
export interface AgentHost {
  readonly programs: ProgramSettings;
  readonly policy: AgentPolicy;
  /** How calls of contract programs are parsed. */
  readonly repair: RepairSettings;
  readonly clocks: ClockSettings & { readonly graceMs: number; readonly drainMs: number };
  readonly maxLineBytes: number;
  readonly platform: NodeJS.Platform;
  /** Finds the program to start: the named command, or else Cursor's own CLI. Rejects with `cli-missing` if there is none. */
  resolveLaunch(command: string | undefined): Promise<ResolvedLaunch>;
  /** The environment of an agent that logs in with this profile. */
  environment(profile: ResolvedProfile): Readonly<Record<string, string>>;
  /** Throws if the profile's key is unavailable. */
  resolveProfile(name: string): Promise<ResolvedProfile>;
  /** Where the CLI keeps its chats, unless a profile says otherwise. */
  chatConfigDir(): string;
  /** Where an agent with this profile keeps its files outside the workspace. */
  agentFiles(profile: ResolvedProfile): AgentFiles;
  /** The login and MCP server files that such an agent reads at start. They need not exist. */
  filesReadAtStart(profile: ResolvedProfile): readonly string[];
  /** The sandbox for an attempt's agent; undefined if its turn has none. Rejects if it is unavailable. */
  openSandbox(request: LaneRequest, prepared: Prepared): Promise<OpenSandbox | undefined>;
  /** Starts a command, contained with everything it starts, if the machine supports that. */
  spawn(command: ChildCommand, options?: Pick<SpawnOptions, "seated">): ChildHandle;
  readonly spawner: Spawner;
  /** Undefined if agents are not kept warm. */
  readonly warm: WarmPool | undefined;
  readonly versions: VersionProbe;
  /** The gateway's end of the bridges, opened on first use, and the command by which an agent starts its own end. */
  openBridge(): Promise<{ readonly hub: BridgeHub; readonly command: ResolvedLaunch }>;
  /** Values that became known as secrets, for the redactor. */
  noteSecrets(secrets: readonly Secret[]): void;
  /** A new UUID. */
  newId(): string;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
  wallClock(): number;
  close(): Promise<void>;
}
