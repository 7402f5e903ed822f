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

/** What a caller asks for. The engine finds out the rest. */
export interface TurnRequest extends CommandOptions {
  readonly prompt: string;
  /** Files that came with the prompt, for the agent to look at. */
  readonly images?: readonly AttachedImage[];
  /** Absent: a new session. */
  readonly sessionId?: string;
  /**
   * Where the session ended when the caller looked, in a log that other machines write: with another event there by now the turn is
   * refused as `session-busy`.
   */
  readonly afterSeq?: number;
  /** The id of a new session, for a caller that has to know it beforehand. */
  readonly newSessionId?: string;
  /** The id of the turn, for a caller that has to know it beforehand. */
  readonly turnId?: string;
  /** Where the turn works; required for a new session, and must be the session's own for an old one. */
  readonly workspace?: string;
  readonly model?: string;
  readonly lane?: LaneName | "auto";
  readonly mode?: TurnMode;
  readonly force?: boolean;
  /** The strictest holds of this, the session's and the default. */
  readonly sandbox?: SandboxWord;
  /** What its sandbox holds besides; nothing without one. */
  readonly sandboxAdditions?: SandboxAdditions;
  /** The client runs the tools of this turn; the agent must then work in a scratch directory of ours. */
  readonly clientTools?: ClientToolsRequest;
  /** The gateway runs the tools of this turn; the agent must then work in a scratch directory of ours. */
  readonly gatewayTools?: GatewayToolsRequest;
  /**
   * Where the agent itself works when the client or the gateway runs its tools: a scratch directory of ours. Absent: the session's
   * workspace, which is one then. An upstream chat belongs to its directory, so the turns of a session should name the same.
   */
  readonly agentWorkspace?: string;
  /**
   * A person can be asked while the turn runs: about the gateway's tools, or on these terms about the agent's own, where the
   * lane asks. Then `gatewayTools` and `agentWorkspace` are not used.
   */
  readonly agentTools?: AgentToolsRequest;
  /** Caret's MCP server, where the agent runs its own tools. */
  readonly registration?: Registration;
  /** A person can be asked while the turn runs. It counts where the gateway runs the tools. */
  readonly attended?: true;
  /** A side call of a client, such as a title, in a directory of its own: no agent is kept for a turn to come. */
  readonly isAside?: true;
  /** What is to be said about how this turn came to be, at its beginning. */
  readonly notices?: readonly AgentEventOf<"notice">[];
  /** Recorded on a new session. */
  readonly title?: string;
  /** Who asks, for the books: the name of a token, or of a command. */
  readonly client?: string;
  /** The user whose session a new one is; absent: that of the person whose gateway it is. */
  readonly user?: string | undefined;
  /** The team that the user works for. */
  readonly team?: string | undefined;
  /** Of the request that asks for it, where requests are traced. */
  readonly traceparent?: string | undefined;
}

/** What a client says of its tools, with each of the requests that one turn answers. */
export interface ClientToolsOffer {
  readonly tools: readonly AgentTool[];
  /** Which of them the answer may call, by the agent's names; absent: all. */
  readonly callable?: readonly string[];
  /** False: the client takes one call at a time. */
  readonly parallel?: boolean;
}

export interface ClientToolsRequest extends ClientToolsOffer {
  /** The client's system prompt; it reaches the agent as a rule. */
  readonly system: string;
  /** Where the client really works. */
  readonly realWorkspace?: string;
}

export interface GatewayToolsRequest {
  /** The client's system prompt; it reaches the agent as a rule. */
  readonly system: string;
  /** Where the tools work. It must be allowed, as a workspace is. */
  readonly realWorkspace: string;
  /** How much happens without asking; absent: as the gateway is set up. Its rules hold either way. */
  readonly permission?: PolicyMode;
  /** What a person has allowed for the rest of the session. Read when a call would be asked about. */
  readonly grants?: SessionGrants;
  /** Tools of this session alone: of the agent that it belongs to, and of MCP servers that its client has offered. */
  readonly openMore?: () => Promise<MoreTools>;
  /** The editor that has the session open. A sandboxed turn does not use it. */
  readonly editor?: ToolEditor;
}

/** On what terms the agent runs its own tools. */
export interface AgentToolsRequest {
  /** How much happens without asking. `supervised` asks about changes of files, which no agent does of itself. */
  readonly permission: PolicyMode;
  readonly grants: SessionGrants;
}

/** Something that a turn waits for a person to decide. */
export interface OpenAsk {
  readonly requestId: string;
  readonly kind: "approval" | "question";
  /** One line about it, as it is: it is for the person who decides. */
  readonly about: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** All of it, unaltered: what is approved is what runs. */
  readonly request: AgentEventOf<"approval-request"> | AgentEventOf<"question">;
}

/**
 * What a turn asks of a person. Every request is answered in the log: by the person, or by the policy when none came
 * within the limit, the agent no longer waited, or the turn ended.
 */
export interface TurnAsks {
  /** Oldest first. */
  open(): readonly OpenAsk[];
  /** Subscribes to changes of `open()`; returns unsubscribe. */
  onChange(listener: () => void): () => void;
  /**
   * Undefined when no such approval waits (any more): the first answer counts. Throws `invalid-request` for an answer that
   * does not fit the request, which goes on waiting.
   */
  answerApproval(requestId: string, answer: AnswerApproval): AnsweredApproval | undefined;
  /** False when no such question waits (any more). Throws `invalid-request` for an answer that does not fit the question, which goes on waiting. */
  answerQuestion(requestId: string, answer: AnswerQuestion): boolean;
}

/** Which events of a turn a follower is given, and in which form. */
export interface TurnFollowOptions {
  readonly afterSeq?: number;
  readonly signal?: AbortSignal;
  readonly live?: boolean;
  readonly asSaid?: boolean;
}

/**
 * A turn that runs by itself, with or without followers.
 *
 * Events are logged before they are sent, unless the follower asked for them live. A follower that is too slow is not
 * waited for: it reads what it missed from the log, so that it gets every event once and in order, at its own pace and
 * at no cost in memory.
 */
export interface RunningTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The sequence number of its `turn-start`. */
  readonly firstSeq: number;
  readonly lane: LaneName;
  /** The lane was chosen for this turn alone. */
  readonly isLaneChosen: boolean;
  readonly model: string;
  /**
   * Events of this turn from its start, or after a sequence number, until its end. May be called often. Ends without a
   * `turn-end` only when the log could not be written; `outcome` then says why. `live`: does not wait until an event is
   * durable; for doors whose clients cannot come back to a sequence number anyway. `asSaid`: the agent's words and calls
   * unaltered, for the client that asked for the turn; otherwise as they are kept, without secrets. `live` is always `asSaid`.
   */
  follow(options?: TurnFollowOptions): AsyncIterable<readonly StoredEvent[]>;
  /** The same for a reader that is called: with a batch by the very call that writes it, where it is up to date. */
  listen(take: TakeEvents, options?: TurnFollowOptions): Promise<void>;
  /** The calls that wait for the client; undefined when the client runs no tools of this turn. */
  readonly parked:
    | Pick<
        ParkedCalls,
        "answer" | "refuseUncallable" | "open" | "waitsSince" | "windowMs" | "onUnanswered" | "dismissAll"
      >
    | undefined;
  /**
   * The client's next request offers these tools: the agent is notified of the change. Gives those that it did not offer
   * before; nothing where the client runs no tools of this turn.
   */
  offerTools(offer: ClientToolsOffer): readonly AgentTool[];
  /** What waits for a person; nothing ever does unless the turn is attended. */
  readonly asks: TurnAsks;
  /**
   * Events of this turn for a person who may decide: what waits for a decision, and calls that the gateway has not
   * settled, as they were said. Everything else as it is kept.
   */
  forDecider(events: readonly StoredEvent[]): readonly StoredEvent[];
  /**
   * Say something to the agent while it works: it is in the log when this resolves, and reaches the agent with its next
   * tool result; where the gateway does not run the tools, by the lane. Rejects with `unsupported` where the lane cannot do
   * that either, and with `not-found` when the turn is over.
   */
  steer(text: string): Promise<void>;
  /** What was said by `steer` and has not reached the agent, oldest first. Final when `outcome` is resolved. */
  unsentSteering(): readonly string[];
  /**
   * Resolves when the turn's start is durable; the turn may be reported to no client before. Rejects when the log does not take
   * it, or not in time: the turn is then stopped, and its followers end without a `turn-end`.
   */
  readonly begun: Promise<void>;
  /** Ask the turn to stop. It ends as cancelled, unless it had ended before. */
  cancel(reason?: string): void;
  /** Stop the turn for a reason of Caret's own: it ends as failed, of this. */
  interrupt(reason: CaretError): void;
  /** Whether it has acted by now, so that it must not begin again: see `TurnActs`. */
  hasActed(): boolean;
  /** Resolves when the `turn-end` is in the log. Never rejects. */
  readonly outcome: Promise<TurnOutcome>;
  /** Resolves when everything of the turn is freed and the session can take the next one. Never rejects. */
  readonly settled: Promise<void>;
}

export interface SessionEngine {
  readonly store: EventStore;
  /**
   * Start a turn. Rejects only for what the caller got wrong (`invalid-request`, `session-not-found`, `session-busy`,
   * `workspace-forbidden`, `workspace-missing`) or when the log cannot be written; whatever fails later is the turn's outcome.
   */
  startTurn(request: TurnRequest): Promise<RunningTurn>;
  /** The same, without waiting until its start is durable (`begun`): for callers that only follow it. */
  beginTurn(request: TurnRequest): Promise<RunningTurn>;
  /** Do something to a session while no turn of it runs here or begins. Rejects with `session-busy` when one does. */
  holdSession<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result>;
  /** A session without a turn yet, with its upstream session where the lane can make one. */
  createSession(request: Omit<TurnRequest, "prompt" | "sessionId">): Promise<SessionRecord>;
  runningTurn(sessionId: string): RunningTurn | undefined;
  runningTurns(): readonly RunningTurn[];
  /** A turn of the session stopped here, and the log has not taken its end yet. */
  hasUnendedTurn(sessionId: string): boolean;
  /** How the budgets stand before the next turn; without a session, of a new one. */
  budget(session: SessionRecord | undefined, whose?: Whose): Promise<BudgetView>;
  /** Free what waits for the session's next turn: agents that are kept warm where it works. */
  release(session: SessionRecord, agentWorkspace: string): Promise<void>;
  /** Whether the upstream has lost the chat that the session would go on with. */
  hasLostChat(session: SessionRecord, agentWorkspace: string): Promise<boolean>;
  /** No turn starts from here on: later ones are refused as `overloaded`. */
  stopTaking(): void;
  /** Caret stops: end every turn that runs as interrupted. Resolves when they are settled. */
  interruptTurns(): Promise<void>;
  /** Takes no more turns, interrupts what runs, waits until it is settled, closes lanes and log. */
  close(): Promise<void>;
}
