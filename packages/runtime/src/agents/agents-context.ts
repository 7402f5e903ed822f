import type { CaretError } from "@caret/protocol";
import type { Git } from "../git/run-git.ts";
import type { AgentStore } from "../log/agent-store.ts";
import type { AllowedWorkspaces } from "../paths/allowed-workspace.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { RuntimeSessions } from "../sessions/create-sessions.ts";
import type { ScratchDirectories } from "../sessions/scratch-directories.ts";
import type { SessionEngine } from "../turns/session-engine.ts";
import type { AgentsElsewhere } from "./agents-elsewhere.ts";
import type { AgentRegistrations } from "./registration/agent-registrations.ts";

export interface AgentsOptions {
  readonly store: AgentStore;
  readonly sessions: RuntimeSessions;
  readonly engine: SessionEngine;
  readonly scratch: Pick<ScratchDirectories, "besideWorkspace" | "hasBeside">;
  readonly allowedWorkspaces: AllowedWorkspaces;
  /** Where worktrees are created. The engine must allow turns to work there. */
  readonly worktreesRoot: string;
  /** How git is run. */
  readonly git: Git;
  /** Omitted: no other process uses these queues. */
  readonly elsewhere?: AgentsElsewhere;
  /** Maximum of agents at work; the others wait. One that waits for a person or for an answer does not count. */
  readonly maxAtWork: number;
  /** Registrations of agents that run their own tools, removed together with the agent. */
  readonly registrations?: Pick<AgentRegistrations, "forget">;
  readonly redactor: () => Redactor;
  readonly newId: () => string;
  /** The store's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with errors of background work. */
  readonly onError: (error: CaretError) => void;
  /** Delay before a turn that could not start is attempted again. */
  readonly retryMs?: number;
}
