import type { AgentEventOf, ContextFill, FileDiff, Owner, Todo, ToolKind, TurnOutcome } from "../events/agent-event.ts";
import type { Usage } from "../usage/usage.ts";

export interface ToolActivity {
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly server?: string;
  readonly owner: Owner;
  readonly input: unknown;
  readonly status: "running" | AgentEventOf<"tool-result">["status"];
  /** It was interrupted before it started. */
  readonly notRun?: true;
  readonly output: string;
  readonly exitCode?: number;
  readonly diff?: FileDiff;
  readonly durationMs?: number;
}

export type Notice = Omit<AgentEventOf<"notice">, "type">;

/** Whether a steering message has reached its agent. */
export function isHeard({ kind, detail }: Notice): boolean {
  return kind === "steer" && typeof detail === "object" && detail !== null && "isHeard" in detail;
}

/**
 * A session as people read it: turns with their items, in order. Deltas are joined, a call and its result are one item, thinking is one
 * item with its duration, init is not shown, and a turn has one result: its outcome.
 *
 * Every item keeps the `seq` of its first event: its identity while it grows, and the key to its raw line.
 *
 * A transcript can begin in the middle of a session, and so of a turn. Such a turn has no `start`; a block that was already open has only
 * its tail (`isTail`); and anything that merely settles something earlier (a result without its call, an answer without its question) is
 * left out until the earlier events are loaded.
 */
export type TranscriptItem =
  | {
      readonly kind: "text";
      readonly seq: number;
      readonly text: string;
      readonly isOpen: boolean;
      readonly isTail?: true;
    }
  | {
      readonly kind: "thinking";
      readonly seq: number;
      readonly text: string;
      readonly isOpen: boolean;
      readonly startedAt: number;
      readonly durationMs?: number;
      readonly isTail?: true;
    }
  | {
      readonly kind: "tool";
      readonly seq: number;
      /** When the call was made or, if a person was asked first, when that was decided. */
      readonly startedAt: number;
      /** A person is being asked whether it can run. */
      readonly isAsked?: true;
      readonly tool: ToolActivity;
      readonly description?: string;
      readonly parentCallId?: string;
    }
  /** The whole list at that moment, changes merged in: a turn's last one is the current state. */
  | { readonly kind: "todos"; readonly seq: number; readonly items: readonly Todo[] }
  | { readonly kind: "plan"; readonly seq: number; readonly plan: AgentEventOf<"plan"> }
  | {
      readonly kind: "question";
      readonly seq: number;
      readonly at: number;
      readonly question: AgentEventOf<"question">;
      readonly answer?: AgentEventOf<"question-answer">;
      readonly answeredAt?: number;
    }
  | {
      readonly kind: "approval";
      readonly seq: number;
      readonly at: number;
      readonly request: AgentEventOf<"approval-request">;
      readonly answer?: AgentEventOf<"approval-answer">;
      readonly answeredAt?: number;
    }
  | { readonly kind: "notice"; readonly seq: number; readonly notice: Notice }
  | { readonly kind: "unknown"; readonly seq: number; readonly label: string; readonly value: unknown };

export interface TranscriptTurn {
  readonly turnId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Time of its first event; without `start`, of the first one loaded. */
  readonly startedAt: number;
  /** Time of its newest event: if it waits, it has waited since then. */
  readonly lastAt: number;
  /** Absent if the transcript begins in the middle of the turn. */
  readonly start?: AgentEventOf<"turn-start">;
  /** Upstream's description of itself. */
  readonly ready?: AgentEventOf<"session-ready">;
  readonly items: readonly TranscriptItem[];
  readonly usage?: Usage;
  /** How full the context window was at its end, if upstream said so. */
  readonly context?: ContextFill;
  readonly outcome?: TurnOutcome;
}

export interface Transcript {
  /** `seq` of the newest event included. */
  readonly lastSeq: number;
  readonly turns: readonly TranscriptTurn[];
}

export const emptyTranscript: Transcript = { lastSeq: 0, turns: [] };
