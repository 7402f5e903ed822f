import { isAbsolute, join, resolve } from "node:path";
import type { McpHub } from "../mcp/mcp-hub.ts";
import type { AgentMode, Policy } from "../policy/load-policy.ts";
import type { HookTurn } from "../policy/run-hooks.ts";
import type { Asker } from "./asker.ts";
import type { BackgroundShells } from "./background-shells.ts";

/** A tool call as the wire will show it, ready to run. */
export interface PreparedCall {
  /** The wire's key: `shellToolCall`, `mcpToolCall` … */
  readonly key: string;
  /** What `started` shows as `args`. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Stands beside `args` for some tools (shell, mcp). */
  readonly description?: string;
  /** The interaction query that the CLI logs and answers itself, and whether it comes before `started` or after it. */
  readonly query?: InteractionQuery;
  /** Does the work (or refuses to) and never rejects. */
  readonly run: (signal: AbortSignal) => Promise<ToolOutcome>;
}

export interface InteractionQuery {
  readonly when: "before-started" | "after-started";
  /** `webFetchRequestQuery`, `askQuestionInteractionQuery` … */
  readonly queryType: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly responseKey: string;
  readonly response: Readonly<Record<string, unknown>>;
}

export interface ToolOutcome {
  /** The union on the wire: exactly one arm, sometimes with siblings. */
  readonly result: Readonly<Record<string, unknown>>;
  /** On errors and rejections the wire leaves `args` out of `completed`. */
  readonly ok: boolean;
  /** What the model reads. */
  readonly output: string;
  /** A skipped question and a command that ran and failed keep their `args` on the wire although they are not `ok`. */
  readonly keepsArgs?: boolean;
  /** What post-tool hooks added; it travels beside the tool's key. */
  readonly hookAdditionalContexts?: readonly HookAdditionalContext[];
}

export interface HookAdditionalContext {
  readonly hookEventName: string;
  readonly content: string;
}

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
  /** Absent where nobody can be asked. */
  readonly asker?: Asker;
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

/** What the model asked for, before anyone checked it: a wrong or missing value reads as its default. */
export type ToolArgs = Readonly<Record<string, unknown>>;

export function text(args: ToolArgs, name: string): string {
  return optionalText(args, name) ?? "";
}

export function optionalText(args: ToolArgs, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

export function optionalNumber(args: ToolArgs, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function list(args: ToolArgs, name: string): readonly unknown[] {
  const value = args[name];
  return Array.isArray(value) ? value : [];
}

/** Keeps the path as it was given where it is absolute, symbolic links and all: the wire does so too. */
export function absolutePath(path: string, workspace: string): string {
  return isAbsolute(path) ? path : join(workspace, path);
}

/** The path that permission rules are held against: no `..` may slip by them. */
export function cleanPath(path: string): string {
  return resolve(path);
}

/** Copies the named arguments that are there, and only those. */
export function pick(args: ToolArgs, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]));
}
