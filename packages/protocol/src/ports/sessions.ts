import type { BudgetView } from "../api/budget-view.ts";
import type { EditorAnswer, EditorOffer, FollowedEditorRequest } from "../api/editor-requests.ts";
import type {
  AnswerApproval,
  AnsweredApproval,
  AnswerQuestion,
  ChangeSession,
  CommitChanges,
  CommittedChanges,
  CreateSession,
  DiscardHunk,
  ExportFormat,
  ForkSession,
  OfferServers,
  StartedTurn,
  StartTurn,
} from "../api/native-requests.ts";
import type {
  AgentCommandView,
  ChangesView,
  EventEnvelope,
  GrantView,
  SearchView,
  SessionPageView,
  SessionUpdate,
  SessionView,
  SymbolView,
  UsageRow,
} from "../api/session-view.ts";
import type { LaneName } from "../events/agent-event.ts";
import type { Caller } from "./caller.ts";

/** The logged result of a command. */
export interface CommandRecord {
  readonly digest: string;
  readonly sessionId: string;
  /** The turn that it started, if any. */
  readonly turn?: { readonly turnId: string; readonly firstSeq: number };
}

export interface SessionListQuery {
  readonly search?: string;
  readonly archived?: boolean;
  /** Only pinned sessions. */
  readonly pinned?: true;
  /** Only sessions with an unfinished turn, or whose agent awaits a person's answer to a message. */
  readonly active?: true;
  /** Only forks of this session. */
  readonly forkedFrom?: string;
  readonly limit?: number;
  readonly after?: string;
}

export interface SearchQuery {
  /** Words and quoted phrases. */
  readonly query: string;
  /** Search only this session. */
  readonly session?: string;
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly before?: number;
}

export interface LogQuery {
  readonly after?: number;
  /** Returns the newest events before this one. Excludes `after`. */
  readonly before?: number;
  readonly limit?: number;
  readonly raw?: boolean;
}

export interface LogPage {
  /** Oldest first. */
  readonly events: readonly EventEnvelope[];
  /** The session's last `seq`, not the page's. */
  readonly lastSeq: number;
}

export interface SessionImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ImportPlace {
  /** In a fleet: the machine to import the session to. Default: one that has the directory it worked in. */
  readonly machine?: string;
}

export interface SessionExport {
  readonly fileName: string;
  readonly mediaType: string;
  readonly chunks: AsyncIterable<string>;
}

/**
 * Port between the native door and the runtime. Rejects with `CaretError`s: `session-not-found`, `session-busy`, `not-found` for a turn or
 * request that is no longer waiting, `unsupported`, `invalid-request`, `workspace-forbidden`.
 *
 * A caller bound to a workspace sees and touches only that workspace's sessions; to it, others do not exist.
 */
export interface Sessions {
  /** Result of a command given within the last day, by this process or an earlier one. */
  findCommand(name: string): Promise<CommandRecord | undefined>;
  list(query: SessionListQuery, caller: Caller): Promise<SessionPageView>;
  get(sessionId: string, caller: Caller): Promise<SessionView>;
  /** Matching passages, newest first. */
  search(query: SearchQuery, caller: Caller): Promise<SearchView>;
  create(wanted: CreateSession, caller: Caller): Promise<SessionView>;
  change(sessionId: string, changes: ChangeSession, caller: Caller): Promise<SessionView>;
  delete(sessionId: string, caller: Caller): Promise<void>;
  fork(sessionId: string, wanted: ForkSession, caller: Caller): Promise<SessionView>;
  /**
   * Sets the client's MCP servers for those turns of this session whose tools the gateway runs, replacing any it offered before. They start
   * with the first turn that can use them, are never logged, and are gone when this process ends.
   */
  offerServers(sessionId: string, wanted: OfferServers, caller: Caller): Promise<void>;
  /**
   * The caller's editor has the session open, from `ready` until the signal aborts: its files and terminals serve the tools that the
   * gateway runs in the session's turns, unless a turn is sandboxed. Of several editors the newest is used. Nothing of this is logged.
   */
  followEditor(
    sessionId: string,
    options: { readonly offer: EditorOffer; readonly signal: AbortSignal },
    caller: Caller,
  ): AsyncIterable<readonly FollowedEditorRequest[]>;
  /** Rejects with `not-found` if the request is no longer waiting. */
  answerEditor(sessionId: string, requestId: string, answer: EditorAnswer, caller: Caller): Promise<void>;
  /** Resolves when its `turn-start` is committed. The turn runs on even without followers. */
  startTurn(sessionId: string, wanted: StartTurn, caller: Caller): Promise<StartedTurn>;
  cancelTurn(sessionId: string, turnId: string, caller: Caller): Promise<void>;
  steerTurn(sessionId: string, turnId: string, text: string, caller: Caller): Promise<void>;
  answerQuestion(sessionId: string, requestId: string, answer: AnswerQuestion, caller: Caller): Promise<void>;
  answerApproval(
    sessionId: string,
    requestId: string,
    answer: AnswerApproval,
    caller: Caller,
  ): Promise<AnsweredApproval>;
  /** What is allowed for the rest of the session, oldest first. */
  listGrants(sessionId: string, caller: Caller): Promise<readonly GrantView[]>;
  /** Such calls need approval again from now on. Rejects with `not-found`. */
  revokeGrant(sessionId: string, grantId: string, caller: Caller): Promise<void>;
  readLog(sessionId: string, query: LogQuery, caller: Caller): Promise<LogPage>;
  /**
   * Yields every committed event after `after`, once and in order, across turns, until the signal aborts or the session is deleted. A slow
   * reader costs no memory: it catches up from the log.
   */
  followLog(
    sessionId: string,
    options: { readonly after: number; readonly raw?: boolean; readonly signal: AbortSignal },
    caller: Caller,
  ): AsyncIterable<readonly EventEnvelope[]>;
  /** From now until the signal aborts. Several changes of one session can be merged into one update. */
  followUpdates(signal: AbortSignal, caller: Caller): AsyncIterable<readonly SessionUpdate[]>;
  /** An image from one of the session's prompts. Rejects with `not-found`. */
  readImage(sessionId: string, name: string, caller: Caller): Promise<SessionImage>;
  exportSession(sessionId: string, format: ExportFormat, caller: Caller): Promise<SessionExport>;
  importSession(chunks: AsyncIterable<Uint8Array>, caller: Caller, where?: ImportPlace): Promise<SessionView>;
  /** Uncommitted changes in the workspace. */
  changes(sessionId: string, caller: Caller): Promise<ChangesView>;
  /** Changes in the workspace since the session began or, if that state is unknown, since the last commit. */
  sessionChanges(sessionId: string, caller: Caller): Promise<ChangesView>;
  /** Reverts one hunk of `sessionChanges`. Rejects with `invalid-request` if the file no longer has it. */
  discardHunk(sessionId: string, wanted: DiscardHunk, caller: Caller): Promise<void>;
  /** Commits files of the workspace. Pushes nothing. */
  commitChanges(sessionId: string, wanted: CommitChanges, caller: Caller): Promise<CommittedChanges>;
  /** Relative paths of files that match the query, best first; `folders` adds directories, with a trailing slash. */
  findFiles(
    workspace: string,
    query: string,
    caller: Caller,
    options?: { readonly folders?: boolean },
  ): Promise<readonly string[]>;
  /** Definitions whose name starts with the query, best first. The search is bounded. */
  findSymbols(workspace: string, query: string, caller: Caller): Promise<readonly SymbolView[]>;
  /** The agent's own `/` commands in a workspace, for turns on this lane. */
  agentCommands(workspace: string, lane: LaneName | undefined, caller: Caller): Promise<readonly AgentCommandView[]>;
  usage(days: number, caller: Caller): Promise<readonly UsageRow[]>;
  /** State of the budgets before the session's next turn or, without an id, before a new session. */
  budget(sessionId: string | undefined, caller: Caller): Promise<BudgetView>;
}
