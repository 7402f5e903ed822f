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

/** What the CLI lane needs of the machine and the configuration, put together once at the start. */
export interface AgentHost {
  readonly programs: ProgramSettings;
  readonly policy: AgentPolicy;
  /** How the calls of contract programs are read. */
  readonly repair: RepairSettings;
  readonly clocks: ClockSettings & { readonly graceMs: number; readonly drainMs: number };
  readonly maxLineBytes: number;
  readonly platform: NodeJS.Platform;
  /**
   * Finds the program to start: the command as it is named, or else Cursor's own CLI. Rejects with `cli-missing` when there
   * is none.
   */
  resolveLaunch(command: string | undefined): Promise<ResolvedLaunch>;
  /** The environment of an agent that logs in with this profile. */
  environment(profile: ResolvedProfile): Readonly<Record<string, string>>;
  /** Throws when the profile's key cannot be had. */
  resolveProfile(name: string): Promise<ResolvedProfile>;
  /** Where the CLI keeps its chats when a profile says nothing else. */
  chatConfigDir(): string;
  /** Where an agent that logs in with this profile finds and keeps what is not part of its workspace. */
  agentFiles(profile: ResolvedProfile): AgentFiles;
  /** The files of its login and of its MCP servers, which such an agent reads when it starts. They need not exist. */
  filesReadAtStart(profile: ResolvedProfile): readonly string[];
  /** The sandbox that an attempt's agent is to run in; undefined when its turn has none. Rejects when it cannot be had. */
  openSandbox(request: LaneRequest, prepared: Prepared): Promise<OpenSandbox | undefined>;
  /** Starts a command, held together with all it starts where the machine can do that. */
  spawn(command: ChildCommand, options?: Pick<SpawnOptions, "seated">): ChildHandle;
  readonly spawner: Spawner;
  /** Undefined when agents are not kept warm. */
  readonly warm: WarmPool | undefined;
  readonly versions: VersionProbe;
  /** The gateway's end of the bridges, opened when it is first needed, and how an agent starts its own end. */
  openBridge(): Promise<{ readonly hub: BridgeHub; readonly command: ResolvedLaunch }>;
  /** Values that became known as secrets, for the redactor. */
  noteSecrets(secrets: readonly Secret[]): void;
  /** A new UUID. */
  newId(): string;
  /** Milliseconds of a clock that only goes forward. */
  monotonic(): number;
  wallClock(): number;
  close(): Promise<void>;
}
