import {
  type AgentEventOf,
  CaretError,
  type LaneName,
  type QuestionChoice,
  type TakeBatch,
  type TurnOutcome,
} from "@caret/protocol";
import type { AgentTool, AnswerCall, AnswerRefused, ToolCall } from "../calls/tool-call.ts";
import type { Decoded } from "../decode/decoder.ts";
import type { UpstreamAttachment } from "../log/event-store.ts";
import type { TurnActs } from "../log/turn-acts.ts";
import type { PolicyCall } from "../policy/policy-parts.ts";
import type { RequestedSandbox } from "../sandbox/sandboxes.ts";
import type { LaneFeature } from "./lane-features.ts";
import type { Registration } from "./registration.ts";

export const turnModes = ["agent", "plan", "ask"] as const;
export type TurnMode = (typeof turnModes)[number];

/** An image as a file that the agent can read. */
export interface AttachedImage {
  readonly path: string;
  readonly mediaType: string;
}

/** One earlier message of the session, for lanes whose upstream remembers nothing. */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/**
 * Tools that the client or the gateway runs in this turn. The agent is offered them, has none of its own, and waits for
 * the answer to each of its calls.
 */
export interface OfferedTools {
  /** Who runs them. The gateway can also run the agent's native tools; a client cannot. */
  readonly owner: "client" | "gateway";
  readonly tools: readonly AgentTool[];
  /** The client's system prompt. */
  readonly system: string;
  /** Where the tools work; the agent is told of it but cannot reach it. */
  readonly realWorkspace: string | undefined;
  /** Subscribes to changes of the client's tools during the turn. Omitted: they never change. */
  readonly onToolsChange?: (listener: (tools: readonly AgentTool[]) => void) => void;
  /** Called for the agent's call of one of them. Never rejects. */
  readonly call: AnswerCall;
  /** The agent's stream mentioned a call; everything before it has been taken. */
  readonly announce: (call: ToolCall) => void;
}

/** A question from the agent to a person, before it has a place in the log. */
export type AskedQuestion = Omit<AgentEventOf<"question">, "type" | "requestId">;

/**
 * A person who can be asked while the agent runs its own tools. Request and answer are in the log when these resolve. If the signal aborts
 * or no one answers, they resolve with a default; they reject only if the log fails.
 */
export interface LanePeople {
  /** Whether this call may run. The policy and existing grants decide first. */
  approve(call: PolicyCall, signal: AbortSignal): Promise<boolean>;
  /** The choices; undefined if the question was skipped. */
  question(asked: AskedQuestion, signal: AbortSignal): Promise<readonly QuestionChoice[] | undefined>;
  /** Whether to carry out the plan. */
  plan(plan: { readonly callId?: string; readonly input: unknown }, signal: AbortSignal): Promise<boolean>;
}

/** What a lane is asked to do, fully checked: the workspace exists and is allowed. */
export interface LaneRequest {
  readonly turnId: string;
  readonly prompt: string;
  /** Images of the prompt, for lanes that accept them directly. On other lanes the prompt mentions them. */
  readonly images?: readonly AttachedImage[];
  readonly workspace: string;
  readonly model: string;
  readonly mode: TurnMode;
  /** Let the agent run every tool that is not denied. */
  readonly force: boolean;
  /** The sandbox for all processes of the turn; undefined: containment only. */
  readonly sandbox?: RequestedSandbox | undefined;
  /** The upstream session to continue; it has been verified. */
  readonly upstream: UpstreamAttachment | undefined;
  /** Undefined: the agent runs its own tools. */
  readonly offered: OfferedTools | undefined;
  /** Returns the agent's answer to a call that fits no tool of the turn. Omitted: such calls are not counted. */
  readonly answerRefused?: AnswerRefused;
  /** Caret's MCP server, for an agent that runs its own tools. Omitted: it has none. */
  readonly registration?: Registration | undefined;
  /** Who is asked about the agent's own tools; only on lanes that ask. Omitted: no one. */
  readonly people?: LanePeople | undefined;
  /** The session's last turn: an agent started before it ended does not know about it. */
  readonly previousTurnId: string | undefined;
  /** Earlier messages of this session, oldest first. Used only by lanes whose upstream remembers nothing. */
  readonly loadHistory: () => Promise<readonly HistoryMessage[]>;
  /** Its agent is needed for this turn only: none is kept warm. */
  readonly isAside?: true | undefined;
  /** Whether the turn has acted: a failure may be retried only while it has not. */
  readonly acts: TurnActs;
}

/** An event of a turn with all that belongs to it. */
export interface LaneEntry extends Decoded {
  /** The upstream session, if it became known with this event; it precedes any part of the answer. */
  readonly upstream?: UpstreamAttachment;
}

/**
 * Takes the next batch of a turn, within the read that brought its bytes. A promise means that there is no room for another batch until it
 * settles: the lane pauses reading its upstream (backpressure). A lane may pass text through `more`, but need not.
 */
export type TakeEntries = TakeBatch<readonly LaneEntry[]>;

/**
 * A way to run a turn. `runTurn` calls `take` with one batch after the other:
 *
 * - they are the events of one turn without the `turn-start`; the last one is the `turn-end`, which comes as soon as upstream has ended,
 *   before any cleanup;
 * - a batch is passed on within the read that brought it: no promise, timer or abort listener per batch;
 * - a failure is a `turn-end`, never a rejection;
 * - aborting the signal stops what works for the turn within that very call, before passing on anything that may have to wait
 *   (`stopFirst`), and ends the turn with what `outcomeOfStop` makes of its reason; nothing is started under an aborted signal;
 * - if `take` throws or rejects, nothing more is passed on, and `runTurn` rejects with its reason;
 * - `runTurn` settles once every process, socket and timer is freed.
 */
export interface Lane {
  readonly name: LaneName;
  runTurn(request: LaneRequest, take: TakeEntries, signal: AbortSignal): Promise<void>;
  /** Whether upstream still has the session. Upstreams tend to silently start a new one if not. */
  canResume(attachment: UpstreamAttachment, workspace: string): boolean | Promise<boolean>;
  /** Whether upstream remembers sessions by itself; otherwise it needs `loadHistory`. Default: it does. */
  keepsSessions?(model: string): boolean;
  /** What the lane can do. Nothing else is asked of it. */
  readonly features: readonly LaneFeature[];
  /** Whether its program is present and new enough, as far as can be told without a turn. Default: it is. */
  isReady?(): Promise<boolean>;
  /**
   * Sends words to the agent of a running turn, if upstream accepts them. Resolves when the agent has them; rejects with `unsupported` if
   * it did not get them.
   */
  steer?(turnId: string, text: string): Promise<void>;
  /** Creates an upstream session ahead of its first turn, if upstream can. */
  createSession?(workspace: string, signal: AbortSignal): Promise<UpstreamAttachment | undefined>;
  /** The upstream session that a bare id names in a workspace, so a session created elsewhere can continue here. */
  findSession?(id: string, workspace: string): UpstreamAttachment | undefined;
  /** Frees what waits for turns in a workspace: warm agents. Omitted: nothing waits. */
  release?(workspace: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * How a stopped turn ends. The signal's reason says who stopped it: a `cancelled` error is a person or client who no longer wants the
 * turn; any other is the gateway's, and the turn has failed with it.
 */
export function outcomeOfStop({ reason }: AbortSignal): Extract<TurnOutcome, { kind: "cancelled" | "failed" }> {
  if (!CaretError.is(reason) || reason.code === "cancelled") return { kind: "cancelled" };
  return { kind: "failed", error: reason.toInfo() };
}
