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
  /** Where worktrees are kept. The engine must allow turns to work there. */
  readonly worktreesRoot: string;
  /** How git is run. */
  readonly git: Git;
  /** Absent: no other process has these queues. */
  readonly elsewhere?: AgentsElsewhere;
  /** How many agents work at once; the others wait. One that waits for a person or for an answer does not count. */
  readonly maxAtWork: number;
  /** What is registered with agents that run their own tools, and goes with them. */
  readonly registrations?: Pick<AgentRegistrations, "forget">;
  readonly redactor: () => Redactor;
  readonly newId: () => string;
  /** The store's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with errors of background work. */
  readonly onError: (error: CaretError) => void;
  /** How long a turn that could not start waits for its next attempt. */
  readonly retryMs?: number;
}
