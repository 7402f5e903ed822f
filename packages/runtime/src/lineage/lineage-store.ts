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
  /** Absent while the turn runs, and for ever when Caret went down meanwhile. */
  readonly outcome?: "completed" | "cancelled" | "failed";
  /**
   * Several sessions have answered this very transcript for clients that give their conversations no name. Which of them
   * somebody goes on with cannot be told, so nobody goes on from here.
   */
  readonly isContested?: true;
}

/** What the real session of a client looked like when it last spoke, to tell its side calls by. */
export interface ScopeRecord {
  /** Names the system prompt that the conversation began with, whatever was added to it since. */
  readonly systemId: string;
  /** The newest system prompt: its digest and its length. */
  readonly systemHash: string;
  readonly systemLength: number;
  readonly toolCount: number;
}

/**
 * What is known of the transcripts that were answered. Reading and writing are immediate, so that what is decided by one
 * read cannot be overtaken before it is written. All implementations run `describeLineageStore`.
 */
export interface LineageStore {
  get(hash: string): LineageRecord | undefined;
  /** Replaces what was known of the transcript, and makes it its session's newest. */
  put(hash: string, record: LineageRecord): void;
  /** The newest record of a session: only from there can it go on. */
  newest(sessionId: string): LineageRecord | undefined;
  /** Write down how a turn ended, if the transcript is still that turn's. */
  settle(hash: string, turnId: string, outcome: NonNullable<LineageRecord["outcome"]>): void;
  getScope(scope: string): ScopeRecord | undefined;
  putScope(scope: string, record: ScopeRecord): void;
  /** Forget everything about a session that is gone. */
  forget(sessionId: string): void;
  close(): void;
}
