import type { AboutView, CaretError, ModelView, SessionView, StreamState, Transcript } from "@caret/protocol";

/** The state of the connection to the gateway. `connecting` is the time before the first success. */
export interface Connection {
  readonly state: "connecting" | StreamState;
  readonly since: number;
  readonly reason?: CaretError;
}

/** What the page has of one session's log: the newest part of it, or more when the user scrolled up. */
export interface SessionLog {
  readonly state: "loading" | "ready" | "failed";
  readonly error?: CaretError;
  readonly transcript: Transcript;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly connection: "connecting" | StreamState;
}

/** The sessions that match the search. */
export interface FoundSessions {
  readonly search: string;
  readonly archived: boolean;
  readonly ids: readonly string[];
  readonly next?: string;
  readonly isLoading: boolean;
  readonly error?: CaretError;
}

/** Everything the page knows. All of it came from the gateway; nothing is guessed ahead of it. */
export interface PageState {
  readonly signIn: "checking" | "in" | "out";
  /** Why the last attempt to sign in did not work. */
  readonly signInError: CaretError | undefined;
  readonly about: AboutView | undefined;
  readonly models: readonly ModelView[] | undefined;
  readonly connection: Connection;
  readonly sessions: ReadonlyMap<string, SessionView>;
  /** Which of them the list shows: those of the pages read so far, and whatever changed since. */
  readonly listed: ReadonlySet<string>;
  readonly isListed: boolean;
  /** Where the list goes on. */
  readonly next: string | undefined;
  readonly found: FoundSessions | undefined;
  readonly logs: ReadonlyMap<string, SessionLog>;
}

export function emptyPageState(now: number): PageState {
  return {
    signIn: "checking",
    signInError: undefined,
    about: undefined,
    models: undefined,
    connection: { state: "connecting", since: now },
    sessions: new Map(),
    listed: new Set(),
    isListed: false,
    next: undefined,
    found: undefined,
    logs: new Map(),
  };
}
