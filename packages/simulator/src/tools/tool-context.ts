import type { McpHub } from "../mcp/mcp-hub.ts";
import type { AgentMode, Policy } from "../policy/load-policy.ts";
import type { HookTurn } from "../policy/run-hooks.ts";
import type { BackgroundShells } from "./background-shells.ts";

/** What a tool call needs to know of the turn it belongs to. */
export interface ToolContext {
  readonly workspace: string;
  readonly toolCallId: string;
  readonly mode: AgentMode;
  readonly policy: Policy;
  readonly mcp: McpHub;
  /** Becomes the environment of shell commands and hooks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Session and request as hooks and the shell's wire arguments name them. */
  readonly turn: HookTurn;
  /** Where long outputs go: `<config dir>/projects/<slug>/agent-tools`. Created when needed. */
  readonly outputDir: string;
  /** The session's todos; an update reads and replaces them. */
  readonly todos: TodoList;
  readonly shells: BackgroundShells;
  readonly newId: () => string;
}

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly dependencies: readonly string[];
}

/** Shared by all calls of a session. */
export interface TodoList {
  items: readonly TodoItem[];
}
