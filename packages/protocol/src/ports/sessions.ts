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

/** What became of a command, as the log has it. */
export interface CommandRecord {
  readonly digest: string;
  readonly sessionId: string;
  /** The turn that it began, if it began one. */
  readonly turn?: { readonly turnId: string; readonly firstSeq: number };
}

export interface SessionListQuery {
  readonly search?: string;
  readonly archived?: boolean;
  /** Only those that are pinned. */
  readonly pinned?: true;
  /** Only those with a turn that has not ended, or whose agent waits for a person's answer to a message. */
  readonly active?: true;
  /** Only those that were copied from this session. */
  readonly forkedFrom?: string;
  readonly limit?: number;
  readonly after?: string;
}

export interface SearchQuery {
  /** Words, and phrases in quotes. */
  readonly query: string;
  /** Only what was said in this session. */
  readonly session?: string;
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly before?: number;
}

export interface LogQuery {
  readonly after?: number;
  /** The newest ones before this. Not together with `after`. */
  readonly before?: number;
  readonly limit?: number;
  readonly raw?: boolean;
}

export interface LogPage {
  /** Oldest first. */
  readonly events: readonly EventEnvelope[];
  /** Of the session, not of the page. */
  readonly lastSeq: number;
}

export interface SessionImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ImportPlace {
  /** In a fleet: the machine where the session is to be. Absent: one that has the directory in which it worked. */
  readonly machine?: string;
}

export interface SessionExport {
  readonly fileName: string;
  readonly mediaType: string;
  readonly chunks: AsyncIterable<string>;
}

/**
 * What the native door serves and the runtime does. Rejects with `CaretError`s: `session-not-found`, `session-busy`,
 * `not-found` for a turn or request that does not wait any more, `unsupported`, `invalid-request`, `workspace-forbidden`.
 *
 * A caller that is bound to a workspace sees and touches only sessions of that workspace; others do not exist for it.
 */
export interface Sessions {
  /** What became of a command of the last day, in this process or in one before. */
  findCommand(name: string): Promise<CommandRecord | undefined>;
  list(query: SessionListQuery, caller: Caller): Promise<SessionPageView>;
  get(sessionId: string, caller: Caller): Promise<SessionView>;
  /** Places where something was said, the newest first. */
  search(query: SearchQuery, caller: Caller): Promise<SearchView>;
  create(wanted: CreateSession, caller: Caller): Promise<SessionView>;
  change(sessionId: string, changes: ChangeSession, caller: Caller): Promise<SessionView>;
  delete(sessionId: string, caller: Caller): Promise<void>;
  fork(sessionId: string, wanted: ForkSession, caller: Caller): Promise<SessionView>;
  /**
   * MCP servers of a client, for the turns of this session whose tools the gateway runs: in place of those it offered before.
   * They are started with the first turn that can use them, are in no log, and are gone with this process.
   */
  offerServers(sessionId: string, wanted: OfferServers, caller: Caller): Promise<void>;
  /**
   * The caller's editor has the session open, from `ready` until the signal: its files and terminals serve the tools that the gateway runs in
   * the session's turns, unless a turn is sandboxed. Of several editors the newest counts. Nothing of this is logged.
   */
  followEditor(
    sessionId: string,
    options: { readonly offer: EditorOffer; readonly signal: AbortSignal },
    caller: Caller,
  ): AsyncIterable<readonly FollowedEditorRequest[]>;
  /** Rejects with `not-found` when nobody waits for it any more. */
  answerEditor(sessionId: string, requestId: string, answer: EditorAnswer, caller: Caller): Promise<void>;
  /** Resolves when its `turn-start` is committed. The turn runs on without followers. */
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
  /** From now on it is asked about again. Rejects with `not-found`. */
  revokeGrant(sessionId: string, grantId: string, caller: Caller): Promise<void>;
  readLog(sessionId: string, query: LogQuery, caller: Caller): Promise<LogPage>;
  /**
   * Every committed event after `after`, once and in order, across turns, until the signal or until the session is
   * deleted. Costs no memory for a slow reader: it goes on from the log.
   */
  followLog(
    sessionId: string,
    options: { readonly after: number; readonly raw?: boolean; readonly signal: AbortSignal },
    caller: Caller,
  ): AsyncIterable<readonly EventEnvelope[]>;
  /** From now on, until the signal. Several changes of one session may be sent as one. */
  followUpdates(signal: AbortSignal, caller: Caller): AsyncIterable<readonly SessionUpdate[]>;
  /** A picture that came with a prompt of the session. Rejects with `not-found`. */
  readImage(sessionId: string, name: string, caller: Caller): Promise<SessionImage>;
  exportSession(sessionId: string, format: ExportFormat, caller: Caller): Promise<SessionExport>;
  importSession(chunks: AsyncIterable<Uint8Array>, caller: Caller, where?: ImportPlace): Promise<SessionView>;
  /** What differs in the workspace from its last commit. */
  changes(sessionId: string, caller: Caller): Promise<ChangesView>;
  /** What has changed in the workspace since the session began; where that is not known, since the last commit. */
  sessionChanges(sessionId: string, caller: Caller): Promise<ChangesView>;
  /** Takes a hunk of `sessionChanges` out of its file. Rejects with `invalid-request` when it is not there any more. */
  discardHunk(sessionId: string, wanted: DiscardHunk, caller: Caller): Promise<void>;
  /** Commits files of the workspace. Nothing is pushed. */
  commitChanges(sessionId: string, wanted: CommitChanges, caller: Caller): Promise<CommittedChanges>;
  /** Relative paths of files whose path fits the query, best first; with `folders` those of directories too, with a slash behind. */
  findFiles(
    workspace: string,
    query: string,
    caller: Caller,
    options?: { readonly folders?: boolean },
  ): Promise<readonly string[]>;
  /** Where something is defined whose name begins with the query, best first; a bounded search. */
  findSymbols(workspace: string, query: string, caller: Caller): Promise<readonly SymbolView[]>;
  /** The agent's own `/` commands in a workspace, for turns on this lane. */
  agentCommands(workspace: string, lane: LaneName | undefined, caller: Caller): Promise<readonly AgentCommandView[]>;
  usage(days: number, caller: Caller): Promise<readonly UsageRow[]>;
  /** How the budgets stand before the next turn of a session; without one, of a new session. */
  budget(sessionId: string | undefined, caller: Caller): Promise<BudgetView>;
}
