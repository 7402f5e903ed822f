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
