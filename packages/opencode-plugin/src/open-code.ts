import type { z } from "zod";

/** What OpenCode 1 gives a plugin, as far as it is used here. */
export interface PluginInput {
  readonly directory: string;
  readonly worktree: string;
  readonly client: { readonly app: { log(entry: { readonly body: LogEntry }): Promise<unknown> } };
}

export interface LogEntry {
  readonly service: string;
  readonly level: "info" | "error";
  readonly message: string;
}

/** The part of OpenCode's settings that the plugin reads and changes. */
export interface OpenCodeConfig {
  model?: string;
  small_model?: string;
  provider?: Record<string, ProviderConfig>;
}

export interface ProviderConfig {
  npm?: string;
  name?: string;
  options?: Record<string, unknown>;
  models?: Record<string, ModelConfig>;
}

export interface ModelConfig {
  readonly name?: string;
  readonly limit?: { readonly context: number; readonly output: number };
  readonly cost?: Readonly<Record<string, number>>;
  readonly variants?: Readonly<Record<string, { readonly cursorModel: string }>>;
}

export interface ToolContext {
  readonly directory: string;
  readonly worktree: string;
  readonly abort: AbortSignal;
  /** Asks the user, or does not, as their permissions say. Rejects when the answer is no. */
  ask(request: {
    readonly permission: string;
    readonly patterns: string[];
    readonly always: string[];
    readonly metadata: Record<string, unknown>;
  }): Promise<void>;
}

export interface PluginTool {
  readonly description: string;
  readonly args: z.ZodRawShape;
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>;
}

export interface Hooks {
  config(config: OpenCodeConfig): Promise<void>;
  "chat.headers"(
    input: { readonly model: { readonly providerID: string } },
    output: { readonly headers: Record<string, string> },
  ): Promise<void>;
  readonly tool: Readonly<Record<string, PluginTool>>;
  dispose(): Promise<void>;
}
