import type { ToolArgs, ToolOutcome } from "./tool-run.ts";

/** A call about which the client is asked or notified. */
export interface AskedCall {
  readonly toolCallId: string;
  /** The wire's key: `shellToolCall`, `mcpToolCall` … */
  readonly key: string;
  readonly args: ToolArgs;
}

/** Where a person can be asked: the client of `agent acp`. Print mode has nobody, and answers itself. */
export interface Asker {
  permit(call: AskedCall): Promise<boolean>;
  question(call: AskedCall): Promise<ToolOutcome>;
  plan(call: AskedCall): Promise<ToolOutcome>;
  /** Todos have changed, or a subagent is done: the client is notified. */
  notify(call: AskedCall, outcome: ToolOutcome): Promise<void>;
}
