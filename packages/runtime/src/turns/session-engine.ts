import type {
  AgentEventOf,
  AnswerApproval,
  AnsweredApproval,
  AnswerQuestion,
  BudgetView,
  CaretError,
  LaneName,
  SandboxWord,
  TurnOutcome,
} from "@caret/protocol";
import type { AgentTool } from "../calls/tool-call.ts";
import type { AttachedImage, TurnMode } from "../lanes/lane.ts";
import type { Registration } from "../lanes/registration.ts";
import type { CommandOptions, EventStore, SessionRecord, StoredEvent } from "../log/event-store.ts";
import type { TakeEvents } from "../log/follow.ts";
import type { SessionGrants } from "../policy/grants/session-grants.ts";
import type { PolicyMode } from "../policy/policy-mode.ts";
import type { SandboxAdditions } from "../sandbox/sandbox-additions.ts";
import type { ToolEditor } from "../tools/tool-editor.ts";
import type { ParkedCalls } from "./tools/parked-calls.ts";
import type { MoreTools } from "./tools/toolbox.ts";
import type { Whose } from "./turn-budget.ts";

/** What a caller asks for. The engine works out the rest. */
export interface TurnRequest extends CommandOptions {
  readonly prompt: string;
  /** Files attached to the prompt, for the agent to look at. */
  readonly images?: readonly AttachedImage[];
  /** Omitted: a new session. */
  readonly sessionId?: string;
  /**
   * The session's last event as the caller saw it, for a log that other machines write too. If the log has moved on, the turn is refused
   * as `session-busy`.
   */
  readonly afterSeq?: number;
  /** Id of a new session, for a caller that must know it beforehand. */
  readonly newSessionId?: string;
  /** Id of the turn, for a caller that must know it beforehand. */
  readonly turnId?: string;
  /** Where the turn works. Required for a new session; must match an existing session's workspace. */
  readonly workspace?: string;
  readonly model?: string;
  readonly lane?: LaneName | "auto";
  readonly mode?: TurnMode;
  readonly force?: boolean;
  /** The strictest of this, the session's and the default applies. */
  readonly sandbox?: SandboxWord;
  /** What to add to the sandbox; ignored without one. */
  readonly sandboxAdditions?: SandboxAdditions;
  /** The client runs the turn's tools; the agent must then work in a scratch directory of ours. */
  readonly clientTools?: ClientToolsRequest;
  /** The gateway runs the turn's tools; the agent must then work in a scratch directory of ours. */
  readonly gatewayTools?: GatewayToolsRequest;
  /**
   * The agent's own directory when the client or the gateway runs its tools: a scratch directory of ours. Default: the session's
   * workspace, which must then be such a directory. An upstream chat belongs to its directory, so the turns of a session should name the
   * same one.
   */
  readonly agentWorkspace?: string;
  /**
   * A person can be asked while the turn runs: about the gateway's tools or, if the lane supports it, on these terms about the agent's
   * own. In the latter case `gatewayTools` and `agentWorkspace` are ignored.
   */
  readonly agentTools?: AgentToolsRequest;
  /** Caret's MCP server, for agents that run their own tools. */
  readonly registration?: Registration;
  /** A person can be asked while the turn runs. Only used if the gateway runs the tools. */
  readonly attended?: true;
  /** A client's side call (for example a title) in its own directory: no agent is kept warm for a next turn. */
  readonly isAside?: true;
  /** Notices about how the turn came about, emitted at its start. */
  readonly notices?: readonly AgentEventOf<"notice">[];
  /** Recorded on a new session. */
  readonly title?: string;
  /** Who asks, for accounting: the name of a token or of a command. */
  readonly client?: string;
  /** Owner of a new session. Default: the gateway's own user. */
  readonly user?: string | undefined;
  /** The user's team. */
  readonly team?: string | undefined;
  /** Trace context of the request behind this turn, if requests are traced. */
  readonly traceparent?: string | undefined;
}

/** What a client says about its tools with each request that one turn answers. */
export interface ClientToolsOffer {
  readonly tools: readonly AgentTool[];
  /** The tools that the answer may call, by the agent's names. Default: all. */
  readonly callable?: readonly string[];
  /** False: the client takes one call at a time. */
  readonly parallel?: boolean;
}

export interface ClientToolsRequest extends ClientToolsOffer {
  /** The client's system prompt, passed to the agent as a rule. */
  readonly system: string;
  /** Where the client really works. */
  readonly realWorkspace?: string;
}

export interface GatewayToolsRequest {
  /** The client's system prompt, passed to the agent as a rule. */
  readonly system: string;
  /** Where the tools work. Must be an allowed workspace. */
  readonly realWorkspace: string;
  /** How much runs without asking. Default: the gateway's setting. Its rules apply either way. */
  readonly permission?: PolicyMode;
  /** What a person has allowed for the rest of the session. Read whenever a call would need approval. */
  readonly grants?: SessionGrants;
  /** Tools of this session only: those of the session's agent, and those of MCP servers offered by its client. */
  readonly openMore?: () => Promise<MoreTools>;
  /** The editor that has the session open. Ignored in a sandboxed turn. */
  readonly editor?: ToolEditor;
}

/** The terms on which the agent runs its own tools. */
export interface AgentToolsRequest {
  /** How much runs without asking. `supervised` also asks about file changes, which no agent asks about by itself. */
  readonly permission: PolicyMode;
  readonly grants: SessionGrants;
}

/** A decision that a turn waits for. */
export interface OpenAsk {
  readonly requestId: string;
  readonly kind: "approval" | "question";
  /** One line about it, unredacted: the person who decides must see it. */
  readonly about: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The full request, unredacted: what is approved is what runs. */
  readonly request: AgentEventOf<"approval-request"> | AgentEventOf<"question">;
}

/**
 * What a turn asks a person. Every request is answered in the log: by the person, or by the policy if the limit passed, the agent stopped
 * waiting, or the turn ended.
 */
export interface TurnAsks {
  /** Oldest first. */
  open(): readonly OpenAsk[];
  /** Subscribes to changes of `open()`; returns unsubscribe. */
  onChange(listener: () => void): () => void;
  /**
   * Undefined if no such approval is waiting: the first answer counts. Throws `invalid-request` for an answer that does not fit; the
   * request then keeps waiting.
   */
  answerApproval(requestId: string, answer: AnswerApproval): AnsweredApproval | undefined;
  /** False if no such question is waiting. Throws `invalid-request` for an answer that does not fit; the question then keeps waiting. */
  answerQuestion(requestId: string, answer: AnswerQuestion): boolean;
}

/** Which events of a turn a follower gets, and in which form. */
export interface TurnFollowOptions {
  readonly afterSeq?: number;
  readonly signal?: AbortSignal;
  readonly live?: boolean;
  readonly asSaid?: boolean;
}

/**
 * A turn that runs on its own, with or without followers.
 *
 * Events are logged before they are sent, unless the follower asked for them live. A slow follower is not waited for: it reads what it
 * missed from the log, so it gets every event once and in order, at its own pace and without using memory.
 */
export interface RunningTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** Sequence number of its `turn-start`. */
  readonly firstSeq: number;
  readonly lane: LaneName;
  /** The lane was chosen for this turn only. */
  readonly isLaneChosen: boolean;
  readonly model: string;
  /**
   * Events of this turn from its start, or after a sequence number, until its end. Can be called several times. Ends without a `turn-end`
   * only if the log could not be written; `outcome` then says why. `live`: does not wait until an event is durable; for doors whose
   * clients cannot resume from a sequence number anyway. `asSaid`: the agent's words and calls unaltered, for the client that asked for
   * the turn; otherwise as they are logged, without secrets. `live` implies `asSaid`.
   */
  follow(options?: TurnFollowOptions): AsyncIterable<readonly StoredEvent[]>;
  /** The push version of `follow`: a reader that keeps up gets each batch within the call that writes it. */
  listen(take: TakeEvents, options?: TurnFollowOptions): Promise<void>;
  /** Calls that wait for the client; undefined if the client runs none of this turn's tools. */
  readonly parked:
    | Pick<
        ParkedCalls,
        "answer" | "refuseUncallable" | "open" | "waitsSince" | "windowMs" | "onUnanswered" | "dismissAll"
      >
    | undefined;
  /**
   * Replaces the offered tools by those of the client's next request and notifies the agent. Returns the newly offered ones; empty if the
   * client runs none of this turn's tools.
   */
  offerTools(offer: ClientToolsOffer): readonly AgentTool[];
  /** What waits for a person; always empty unless the turn is attended. */
  readonly asks: TurnAsks;
  /**
   * Events of this turn for a person who may decide: open decisions and unsettled calls of the gateway as they were said, everything else
   * as it is logged.
   */
  forDecider(events: readonly StoredEvent[]): readonly StoredEvent[];
  /**
   * Sends words to the working agent. Resolves once they are in the log; they reach the agent with its next tool result or, if the gateway
   * does not run the tools, through the lane. Rejects with `unsupported` if the lane cannot do that either, and with `not-found` once the
   * turn is over.
   */
  steer(text: string): Promise<void>;
  /** Words of `steer` that have not reached the agent, oldest first. Final once `outcome` resolves. */
  unsentSteering(): readonly string[];
  /**
   * Resolves when the turn's start is durable; do not report the turn to a client before. Rejects if the log does not take it, or not in
   * time: the turn is then stopped, and its followers end without a `turn-end`.
   */
  readonly begun: Promise<void>;
  /** Asks the turn to stop. It ends as cancelled, unless it has already ended. */
  cancel(reason?: string): void;
  /** Stops the turn for a reason of Caret's own: it ends as failed with this error. */
  interrupt(reason: CaretError): void;
  /** Whether it has acted, so it must not be run again: see `TurnActs`. */
  hasActed(): boolean;
  /** Resolves when the `turn-end` is in the log. Never rejects. */
  readonly outcome: Promise<TurnOutcome>;
  /** Resolves when all resources of the turn are freed and the session can take the next one. Never rejects. */
  readonly settled: Promise<void>;
}

export interface SessionEngine {
  readonly store: EventStore;
  /**
   * Starts a turn. Rejects only for the caller's mistakes (`invalid-request`, `session-not-found`, `session-busy`, `workspace-forbidden`,
   * `workspace-missing`) or if the log cannot be written; later failures become the turn's outcome.
   */
  startTurn(request: TurnRequest): Promise<RunningTurn>;
  /** The same, without waiting for a durable start (`begun`): for callers that only follow the turn. */
  beginTurn(request: TurnRequest): Promise<RunningTurn>;
  /** Runs `work` while no turn of the session runs or begins here. Rejects with `session-busy` if one does. */
  holdSession<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result>;
  /** Creates a session without a turn, including its upstream session if the lane can make one. */
  createSession(request: Omit<TurnRequest, "prompt" | "sessionId">): Promise<SessionRecord>;
  runningTurn(sessionId: string): RunningTurn | undefined;
  runningTurns(): readonly RunningTurn[];
  /** A turn of the session stopped here, but its end is not in the log yet. */
  hasUnendedTurn(sessionId: string): boolean;
  /** The state of the budgets before the next turn; without a session, for a new one. */
  budget(session: SessionRecord | undefined, whose?: Whose): Promise<BudgetView>;
  /** Frees what is kept for the session's next turn: warm agents in its directories. */
  release(session: SessionRecord, agentWorkspace: string): Promise<void>;
  /** Whether upstream has lost the chat that the session would continue. */
  hasLostChat(session: SessionRecord, agentWorkspace: string): Promise<boolean>;
  /** Refuses all further turns as `overloaded`. */
  stopTaking(): void;
  /** Ends every running turn as interrupted because Caret stops. Resolves when they are settled. */
  interruptTurns(): Promise<void>;
  /** Refuses further turns, interrupts and settles the running ones, then closes lanes and log. */
  close(): Promise<void>;
}
