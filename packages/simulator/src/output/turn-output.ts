import type { InteractionQuery, PreparedCall, ToolOutcome } from "../tools/tool-run.ts";
import type { TurnUsage } from "./result-event.ts";

export interface TurnStart {
  readonly apiKeySource: "login" | "env" | "flag";
  readonly cwd: string;
  readonly sessionId: string;
  readonly modelName: string;
  readonly prompt: string;
}

/** A call on the wire: what `started` and `completed` have in common. */
export interface WireCall {
  readonly callId: string;
  readonly modelCallId: string;
  readonly prepared: PreparedCall;
  readonly startedAt: number;
}

export interface TurnResult {
  readonly subtype: "success" | "error";
  readonly isError: boolean;
  /** Replaces the turn's own text. */
  readonly text?: string;
  readonly requestId: string;
  /** Absent when the version simulated does not report it. */
  readonly usage?: TurnUsage;
}

/**
 * What a turn looks like from outside, in one output format.
 *
 * `start` comes first, `result` last; a started call may stay without its completion. Text and thinking arrive as
 * deltas, and the format decides when they are shown.
 */
export interface TurnOutput {
  start(start: TurnStart): void;
  thinkingDelta(text: string): void;
  thinkingEnd(): void;
  textDelta(text: string): void;
  query(query: InteractionQuery): void;
  toolStarted(call: WireCall): void;
  toolCompleted(call: WireCall, outcome: ToolOutcome): void;
  /** An event of no other kind: a notification, a reconnect, a retry, or something nobody knows. */
  event(event: Readonly<Record<string, unknown>>): void;
  result(result: TurnResult): void;
}
