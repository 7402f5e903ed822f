import type { SandboxWord } from "@caret/protocol";
import type { ChildCommand } from "../process/child-handle.ts";
import type { ResolvedLaunch } from "../process/resolve-launch.ts";
import type { AgentBelongings } from "./agent-mounts.ts";
import type { SandboxAdditions } from "./sandbox-additions.ts";

/** The sandbox that a turn is to have. */
export interface RequestedSandbox {
  readonly word: Exclude<SandboxWord, "off">;
  /** What Caret keeps for its sandbox belongs to the session, and goes with it. */
  readonly sessionId: string;
  readonly additions: SandboxAdditions;
}

/** What is to run in it, and with what. */
export interface SandboxPlace {
  readonly workspace: string;
  /** Nothing of the workspace can be written. */
  readonly isReadOnly: boolean;
  /** The workspace is a directory of ours, whose `.cursor` we wrote. */
  readonly isOurs: boolean;
  /** Undefined: what runs is no agent, has an empty home, and cannot log in anywhere. */
  readonly agent: AgentBelongings | undefined;
  readonly programs: readonly ResolvedLaunch[];
  /** Files that the turn came with. */
  readonly readable: readonly string[];
  /** Unix sockets that may be connected to. */
  readonly sockets: readonly string[];
}

/** A sandbox for the processes of one turn. Each command has namespaces of its own; what they see is the same. */
export interface OpenSandbox {
  /** The command inside it. Its environment is narrowed to what means something there. */
  enclose(command: ChildCommand): ChildCommand;
  /** Ours: what the agent finds as its configuration directory. */
  readonly configDir: string;
  /**
   * To be called when all processes have ended: takes over what was made with git, and removes what was made in the workspace to
   * mount over. Returns what a person has to know of what the turn has left.
   */
  close(): Promise<readonly string[]>;
}

/** The sandboxes of this machine. */
export interface Sandboxes {
  /** Whether turns have a repository of their own in them, in the place of the workspace's. */
  readonly git: "guarded" | "open";
  /** Rejects with `sandbox-unavailable`, whose fix says what to do, where there can be none. */
  assertAvailable(): Promise<void>;
  /** Rejects where a workspace cannot be had in a sandbox. */
  open(requested: RequestedSandbox, place: SandboxPlace): Promise<OpenSandbox>;
  /**
   * Removes what turns of processes that were killed have left in workspaces, and takes over what they had made with git. Returns
   * what a person has to know of it.
   */
  sweep(): Promise<readonly string[]>;
  close(): Promise<void>;
}
