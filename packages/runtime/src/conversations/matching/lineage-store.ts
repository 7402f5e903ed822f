/** Which turn answered a transcript. */
export interface LineageRecord {
  readonly sessionId: string;
  readonly turnId: string;
  /** How many messages of the user and of tools the transcript has. */
  readonly count: number;
  /** How many of them the session had heard before this turn. */
  readonly heardBefore: number;
  /** When the turn began, in milliseconds since the epoch. */
  readonly at: number;
  /** A digest of the whole request, model and instructions included: only an equal one may share the turn. */
  readonly request?: string;
  /** A digest of the request's instructions and tools, which tell a subagent from the conversation that it works for. */
  readonly shape?: string;
  /** Short digests of what was sent to the session besides the messages: lines of the system prompt, client notes. */
  readonly sent?: readonly string[];
  /** Absent while the turn runs, and for ever when Caret went down meanwhile. */
  readonly outcome?: "completed" | "cancelled" | "failed";
  /**
   * Several sessions have answered this very transcript. Which of their answers the client goes on from is unknown, so
   * no session goes on from here.
   */
  readonly isContested?: true;
}

/** What the real conversation of a client looked like when it last spoke, to tell its side calls by. */
export interface ScopeRecord {
  /** A digest of its system prompt, without what changes from request to request. */
  readonly systemId: string;
  readonly toolCount: number;
  /** It has offered tools at any time. */
  readonly hasShownTools: boolean;
}

/**
 * What is known of the transcripts that were answered. Reading and writing are immediate, so that what is decided by one
 * read cannot be overtaken before it is written. All implementations run `describeLineageStore`.
 */
export interface LineageStore {
  get(hash: string): LineageRecord | undefined;
  /** Replaces what was known of the transcript, and makes it its session's newest. */
  put(hash: string, record: LineageRecord): void;
  /**
   * The newest record of a session: only from there can it go on. Undefined when another session has answered that
   * transcript since: an older record would leave out what this session has heard.
   */
  newest(sessionId: string): LineageRecord | undefined;
  /** Write down how a turn ended, if the transcript is still that turn's. */
  settle(hash: string, turnId: string, outcome: NonNullable<LineageRecord["outcome"]>): void;
  getScope(scope: string): ScopeRecord | undefined;
  putScope(scope: string, record: ScopeRecord): void;
  /** Writes everything at once, or nothing. */
  together(write: (store: Pick<LineageStore, "put" | "putScope">) => void): void;
  /** Forget everything about a session that is gone. */
  forget(sessionId: string): void;
  close(): void;
}
