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

/** A picture as a file that the agent can read. */
export interface AttachedImage {
  readonly path: string;
  readonly mediaType: string;
}

/** One earlier exchange of the session, for lanes whose upstream remembers nothing. */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/**
 * Tools that the client or the gateway runs in this turn. The agent is offered them, has none of its own, and waits for
 * the answer to each of its calls.
 */
export interface OfferedTools {
  /** Who runs them. The gateway may run the agent's native tools in their place; a client cannot. */
  readonly owner: "client" | "gateway";
  readonly tools: readonly AgentTool[];
  /** The client's system prompt. */
  readonly system: string;
  /** Where the tools work, for the agent to know of, not to reach. */
  readonly realWorkspace: string | undefined;
  /** Calls a listener when the client offers other tools in mid-turn. Absent: they never change. */
  readonly onToolsChange?: (listener: (tools: readonly AgentTool[]) => void) => void;
  /** The agent called one of them. Never rejects. */
  readonly call: AnswerCall;
  /** The agent's stream mentioned a call, and everything before it has been taken. */
  readonly announce: (call: ToolCall) => void;
}

/** What the agent asks a person, before it has a place in the log. */
export type AskedQuestion = Omit<AgentEventOf<"question">, "type" | "requestId">;

/**
 * A person who can be asked while the agent runs its own tools. What is asked, and what is answered, is in the log when these
 * resolve. They answer in the person's place when the signal is aborted or nobody comes, and reject only when the log fails.
 */
export interface LanePeople {
  /** May this call run? The policy and what was granted decide first. */
  approve(call: PolicyCall, signal: AbortSignal): Promise<boolean>;
  /** What was chosen; undefined when the question was skipped. */
  question(asked: AskedQuestion, signal: AbortSignal): Promise<readonly QuestionChoice[] | undefined>;
  /** Is the plan to be carried out? */
  plan(plan: { readonly callId?: string; readonly input: unknown }, signal: AbortSignal): Promise<boolean>;
}

/** What a lane is asked to do. Everything in it has been checked: the workspace exists and is allowed. */
export interface LaneRequest {
  readonly turnId: string;
  readonly prompt: string;
  /** Pictures that came with it, for lanes that take them as they are. Others read of them in the prompt. */
  readonly images?: readonly AttachedImage[];
  readonly workspace: string;
  readonly model: string;
  readonly mode: TurnMode;
  /** Let the agent run every tool that is not denied. */
  readonly force: boolean;
  /** What all processes of the turn must run in; undefined: nothing but containment. */
  readonly sandbox?: RequestedSandbox | undefined;
  /** The upstream session to go on with; it has been verified. */
  readonly upstream: UpstreamAttachment | undefined;
  /** Undefined: the agent runs its own tools. */
  readonly offered: OfferedTools | undefined;
  /** To be asked what the agent is answered to a call that no tool of the turn takes. Absent: nobody counts such calls. */
  readonly answerRefused?: AnswerRefused;
  /** Caret's MCP server, for an agent that runs its own tools. Absent: it has none. */
  readonly registration?: Registration | undefined;
  /** Who is asked about the agent's own tools; only on lanes that ask. Absent: nobody. */
  readonly people?: LanePeople | undefined;
  /** The session's last turn: an agent that was started before it ended does not know of it. */
  readonly previousTurnId: string | undefined;
  /** What was said before in this session, oldest first. Read only by lanes whose upstream remembers nothing. */
  readonly loadHistory: () => Promise<readonly HistoryMessage[]>;
  /** Its agent is needed for this turn alone: none is kept for another one. */
  readonly isAside?: true | undefined;
  /** Whether the turn has acted: whatever of it failed may only be tried again while it has not. */
  readonly acts: TurnActs;
}

/** An event of a turn, with all that belongs to it. */
export interface LaneEntry extends Decoded {
  /** The upstream session became known with this event; it comes before anything of the answer. */
  readonly upstream?: UpstreamAttachment;
}

/**
 * Takes the next batch of a turn, within the read that its bytes came with. A promise means that there is no room for
 * another batch before it is settled: the lane stops reading its upstream meanwhile (backpressure). A lane may give text by
 * `more`, and need not.
 */
export type TakeEntries = TakeBatch<readonly LaneEntry[]>;

/**
 * A way to run a turn. `runTurn` calls `take` with one batch after the other:
 *
 * - they are the events of one turn without the `turn-start`; the last of them is the `turn-end`, which comes as soon as
 *   the upstream has ended, before anything is cleaned up;
 * - a batch is given in the read that it came with: no promise, timer or abort listener per batch;
 * - a failure is a `turn-end`, never a rejection;
 * - aborting the signal stops what works for the turn in that very call, before anything is given that may have to wait (`stopFirst`),
 *   and ends the turn with what `outcomeOfStop` makes of its reason; nothing is started under an aborted signal;
 * - when `take` throws or rejects nothing more is given, and `runTurn` rejects with its reason;
 * - `runTurn` settles when every process, socket and timer is freed.
 */
export interface Lane {
  readonly name: LaneName;
  runTurn(request: LaneRequest, take: TakeEntries, signal: AbortSignal): Promise<void>;
  /** Whether the upstream still has the session. Upstreams tend to start a new one silently when they have not. */
  canResume(attachment: UpstreamAttachment, workspace: string): boolean | Promise<boolean>;
  /** Whether the upstream remembers sessions by itself; one that does not takes `loadHistory`. Absent: it does. */
  keepsSessions?(model: string): boolean;
  /** What it can do. What it cannot do is never asked of it. */
  readonly features: readonly LaneFeature[];
  /** Whether its program is there and is new enough, as far as can be seen without a turn. Absent: it is. */
  isReady?(): Promise<boolean>;
  /**
   * Say something to the agent of a running turn, where the upstream takes it. Resolves when the agent has it; rejects with
   * `unsupported` when it did not get it.
   */
  steer?(turnId: string, text: string): Promise<void>;
  /** Make an upstream session ahead of its first turn, where the upstream can. */
  createSession?(workspace: string, signal: AbortSignal): Promise<UpstreamAttachment | undefined>;
  /** Which upstream session a bare id names in a workspace, so that a session made elsewhere can go on here. */
  findSession?(id: string, workspace: string): UpstreamAttachment | undefined;
  /** Free what waits for turns in a workspace: agents that are kept warm. Absent: nothing does. */
  release?(workspace: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * How a turn ends that was stopped. The reason of its signal says who stopped it: a `cancelled` error is a person or a
 * client who no longer wants the turn; any other is the gateway's, and the turn has failed of it.
 */
export function outcomeOfStop({ reason }: AbortSignal): Extract<TurnOutcome, { kind: "cancelled" | "failed" }> {
  if (!CaretError.is(reason) || reason.code === "cancelled") return { kind: "cancelled" };
  return { kind: "failed", error: reason.toInfo() };
}
