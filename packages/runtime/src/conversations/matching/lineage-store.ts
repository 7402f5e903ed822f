/** A conversation that rests for longer begins a new session when it goes on. */
export const LINEAGE_KEPT_MS = 60 * 24 * 60 * 60 * 1000;

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
  /** A digest of the transcript as it was sent, what the assistant says in it included; absent in rows of earlier Carets. */
  readonly said?: string;
  /** Absent while the turn runs, and for ever when Caret went down meanwhile. */
  readonly outcome?: "completed" | "cancelled" | "failed";
  /**
   * Several sessions have answered this very transcript. Which of their answers the client goes on from is unknown, so
   * no session goes on from here.
   */
  readonly isContested?: true;
}

/** A transcript that was answered, as it is read. */
export interface KnownTranscript extends LineageRecord {
  /**
   * Its turn is the newest of its session: only from there can the session go on. False for all of a session's when another session
   * has answered its newest transcript since: an older record would leave out what this session has heard.
   */
  readonly isNewest: boolean;
  /** Where several machines have the index: how the session stood when it was read. */
  readonly session?: SeenSession;
}

export interface SeenSession {
  /** Its newest event. */
  readonly lastSeq: number;
  /** Its last turn ran on another machine: its directory and its chats are there. */
  readonly isElsewhere: boolean;
}

/** What the real conversation of a client looked like when it last spoke, to tell its side calls by. */
export interface ScopeRecord {
  /** A digest of its system prompt, without what changes from request to request. */
  readonly systemId: string;
  readonly toolCount: number;
  /** It has offered tools at any time. */
  readonly hasShownTools: boolean;
}

/** What a request may have to do with. */
export interface LineageQuestion {
  /** Which conversations it can belong to. */
  readonly scope: string;
  /** All that `getScope` may be asked for. */
  readonly scopes: readonly string[];
  /**
   * Chains that its transcript may be in, each by its digests, the shortest transcript first. Of each `get` knows the last, the newest known
   * one before it, and the one that either of them names by `heardBefore`. A function: digests of a long transcript take time.
   */
  readonly chains: () => readonly (readonly string[])[];
}

/** What the index held at one moment about what was asked. */
export interface LineageView {
  get(hash: string): KnownTranscript | undefined;
  getScope(scope: string): ScopeRecord | undefined;
}

/** A transcript that a turn answers from now on. */
export interface AnsweredTranscript {
  readonly scope: string;
  readonly hash: string;
  readonly record: Omit<LineageRecord, "outcome" | "isContested">;
  /** What is known of the client from now on, by scope. */
  readonly scopes: ReadonlyMap<string, ScopeRecord>;
  /** Its session and its turn are in the log. */
  readonly inLog: Promise<unknown>;
}

/**
 * What is known of the transcripts that were answered. Requests of one scope are decided about one after the other, and what one of
 * them has given to `remember` is seen by the next `look` of its scope, though it may not be written yet. All implementations run
 * `describeLineageStore`.
 */
export interface LineageStore {
  look(asked: LineageQuestion): Promise<LineageView>;
  /**
   * Replaces what was known of the transcript, and makes it its session's newest; contested from then on, if another session has answered
   * it before. Everything is written at once, or nothing. Resolves when it is written.
   */
  remember(answered: AnsweredTranscript): Promise<void>;
  /** Write down how a turn ended, if the transcript is still that turn's. */
  settle(
    answered: Pick<AnsweredTranscript, "scope" | "hash">,
    turnId: string,
    outcome: NonNullable<LineageRecord["outcome"]>,
  ): Promise<void>;
  /** Forget everything about a session that is gone, but which transcripts are contested: those of other sessions are, too. */
  forget(sessionId: string): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}
