/** A conversation idle for longer starts a new session when it continues. */
export const LINEAGE_KEPT_MS = 60 * 24 * 60 * 60 * 1000;

/** Records which turn answered a transcript. */
export interface LineageRecord {
  readonly sessionId: string;
  readonly turnId: string;
  /** Number of user and tool messages in the transcript. */
  readonly count: number;
  /** How many of them the session had heard before this turn. */
  readonly heardBefore: number;
  /** When the turn began, in milliseconds since the epoch. */
  readonly at: number;
  /** A digest of the whole request including model and instructions: only an equal request may share the turn. */
  readonly request?: string;
  /** A digest of the request's instructions and tools, which tells a subagent from its parent conversation. */
  readonly shape?: string;
  /** Short digests of what else was sent to the session: lines of the system prompt, client notes. */
  readonly sent?: readonly string[];
  /** A digest of the transcript as sent, including the assistant's words; missing in rows of earlier Carets. */
  readonly said?: string;
  /** Omitted while the turn runs, and permanently if Caret went down during it. */
  readonly outcome?: "completed" | "cancelled" | "failed";
  /**
   * Several sessions have answered this very transcript. Which of their answers the client continues from is unknown, so no session
   * continues from here.
   */
  readonly isContested?: true;
}

/** An answered transcript, as read from the index. */
export interface KnownTranscript extends LineageRecord {
  /**
   * Its turn is its session's newest: only from there can the session continue. False for all of a session's transcripts once another
   * session has answered its newest one: an older record would omit what this session has heard.
   */
  readonly isNewest: boolean;
  /** The session's state when it was read, if several machines share the index. */
  readonly session?: SeenSession;
}

export interface SeenSession {
  /** Number of its newest event. */
  readonly lastSeq: number;
  /** Its last turn ran on another machine, which has its directory and chats. */
  readonly isElsewhere: boolean;
}

/** What a client's real conversation last looked like, to distinguish its side calls. */
export interface ScopeRecord {
  /** A digest of its system prompt, without the parts that change between requests. */
  readonly systemId: string;
  readonly toolCount: number;
  /** It has offered tools at any time. */
  readonly hasShownTools: boolean;
}

/** What may be relevant to a request. */
export interface LineageQuestion {
  /** Identifies the conversations it can belong to. */
  readonly scope: string;
  /** Everything `getScope` may be asked for. */
  readonly scopes: readonly string[];
  /**
   * Candidate chains for its transcript, as digests, shortest transcript first. For each, `get` knows the last digest, the newest known
   * one before it, and the one that either of them names by `heardBefore`. A function, because digests of a long transcript take time.
   */
  readonly chains: () => readonly (readonly string[])[];
}

/** A consistent snapshot of the requested index entries. */
export interface LineageView {
  get(hash: string): KnownTranscript | undefined;
  getScope(scope: string): ScopeRecord | undefined;
}

/** A transcript that a turn answers from now on. */
export interface AnsweredTranscript {
  readonly scope: string;
  readonly hash: string;
  readonly record: Omit<LineageRecord, "outcome" | "isContested">;
  /** What is now known about the client, by scope. */
  readonly scopes: ReadonlyMap<string, ScopeRecord>;
  /** Resolves when its session and turn are in the log. */
  readonly inLog: Promise<unknown>;
}

/**
 * The index of answered transcripts. Requests of one scope are decided one after the other, and what one of them passes to `remember` is
 * visible to the scope's next `look`, even before it is written. All implementations run `describeLineageStore`.
 */
export interface LineageStore {
  look(asked: LineageQuestion): Promise<LineageView>;
  /**
   * Replaces the transcript's record and makes it its session's newest; the transcript becomes contested if another session has answered
   * it before. Atomic. Resolves when written.
   */
  remember(answered: AnsweredTranscript): Promise<void>;
  /** Records how a turn ended, if the transcript still belongs to that turn. */
  settle(
    answered: Pick<AnsweredTranscript, "scope" | "hash">,
    turnId: string,
    outcome: NonNullable<LineageRecord["outcome"]>,
  ): Promise<void>;
  /** Deletes a session's rows but keeps `contested` marks; they protect other sessions. */
  forget(sessionId: string): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}
