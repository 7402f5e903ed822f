import { CaretError, type EventEnvelope, emptyTranscript, type NativeClient } from "@caret/protocol";
import { createFrameBatch } from "./frame-batch.ts";
import {
  appendEvents,
  emptyLogWindow,
  firstSeq,
  hasOlder,
  isCutShort,
  type LogWindow,
  prependEvents,
} from "./log-window.ts";
import type { PageEnvironment } from "./page-environment.ts";
import type { SessionLog } from "./page-state.ts";

/** What a session is opened with: several screens, and little enough to be there at once. */
const WINDOW_EVENTS = 500;
/** Before this there is everything. */
const AFTER_ALL = 999_999_999_999_999;
/** How many events are read at once when the user scrolls up. */
const OLDER_EVENTS = 1000;
/** The most that the gateway gives at once. */
const MOST_AT_ONCE = 10_000;
/** How long a hidden tab goes on following the session it shows. */
const HIDDEN_MS = 10_000;
const KEPT_LOGS = 4;
/** A log that has grown by more than this since it was left is read again, rather than followed from there. */
const MOST_MISSED = 5000;

export interface SessionLogsOptions {
  readonly api: Pick<NativeClient, "readLog" | "followEvents">;
  readonly environment: Pick<PageEnvironment, "nextFrame" | "isHidden" | "onVisibility">;
  /** Shows what a log has become; `undefined` when it is kept no more. */
  readonly show: (sessionId: string, log: SessionLog | undefined) => void;
  /** The newest event there is, as far as is known. */
  readonly lastSeqOf: (sessionId: string) => number | undefined;
}

/** The logs of the sessions that are open, each read once and then followed, however many components show it. */
export interface SessionLogs {
  /** Keeps the log up to date until the returned function is called. */
  open(sessionId: string): () => void;
  loadOlder(sessionId: string): Promise<void>;
  /** Loads everything from this event on. */
  loadThrough(sessionId: string, seq: number): Promise<void>;
  /** Read it again, after it failed. */
  retry(sessionId: string): void;
  /** Follow all of them over new connections, from where they are. */
  reconnect(): void;
  /** Forget everything. */
  clear(): void;
}

interface OpenLog {
  readonly sessionId: string;
  window: LogWindow;
  log: SessionLog;
  readers: number;
  following: AbortController | undefined;
  /** Older events are under way. */
  older: Promise<void> | undefined;
}

const loadingLog: SessionLog = {
  state: "loading",
  transcript: emptyTranscript,
  hasOlder: false,
  isLoadingOlder: false,
  connection: "connecting",
};

export function createSessionLogs(options: SessionLogsOptions): SessionLogs {
  const logs = new Map<string, OpenLog>();
  return {
    open(sessionId) {
      const open = logs.get(sessionId) ?? newLog(sessionId);
      // Last in the map: the longest unused is the first to be forgotten.
      logs.delete(sessionId);
      logs.set(sessionId, open);
      open.readers++;
      if (open.readers === 1) startFollowing(open, options);
      const stopWatching = watchVisibility(open, options);
      let isDone = false;
      return () => {
        if (isDone) return;
        isDone = true;
        stopWatching();
        open.readers--;
        if (open.readers === 0) open.following?.abort();
        forgetOldest(logs, options);
      };
    },
    loadOlder: async (sessionId) => {
      const open = logs.get(sessionId);
      if (open !== undefined) await loadOlder(open, options);
    },
    loadThrough: async (sessionId, seq) => {
      const open = logs.get(sessionId);
      if (open !== undefined) await loadThrough(open, seq, options);
    },
    retry(sessionId) {
      const open = logs.get(sessionId);
      if (open === undefined) return;
      open.following?.abort();
      open.window = emptyLogWindow;
      startFollowing(open, options);
    },
    reconnect() {
      for (const open of logs.values()) {
        if (open.log.state !== "ready" || open.following?.signal.aborted !== false) continue;
        open.following.abort();
        startFollowing(open, options);
      }
    },
    clear() {
      for (const open of logs.values()) open.following?.abort();
      logs.clear();
    },
  };
}

function newLog(sessionId: string): OpenLog {
  return { sessionId, window: emptyLogWindow, log: loadingLog, readers: 0, following: undefined, older: undefined };
}

function forgetOldest(logs: Map<string, OpenLog>, { show }: SessionLogsOptions): void {
  const unused = [...logs.values()].filter(({ readers }) => readers === 0);
  for (const { sessionId } of unused.slice(0, Math.max(0, unused.length - KEPT_LOGS))) {
    logs.delete(sessionId);
    show(sessionId, undefined);
  }
}

function change(open: OpenLog, { show }: SessionLogsOptions, changes: Partial<SessionLog>): void {
  open.log = { ...open.log, ...changes, transcript: open.window.transcript, hasOlder: hasOlder(open.window) };
  show(open.sessionId, open.log);
}

function startFollowing(open: OpenLog, options: SessionLogsOptions): void {
  const following = new AbortController();
  open.following = following;
  follow(open, following.signal, options).catch((reason) => {
    if (following.signal.aborted) return;
    change(open, options, { state: "failed", error: CaretError.from(reason) });
  });
}

async function follow(open: OpenLog, signal: AbortSignal, options: SessionLogsOptions): Promise<void> {
  const { api, environment } = options;
  const { sessionId } = open;
  if (missed(open, options) > MOST_MISSED) open.window = emptyLogWindow;
  if (open.window.transcript.lastSeq === 0) {
    const { error, ...fresh } = open.log;
    open.log = { ...fresh, state: "loading", connection: "connecting" };
    change(open, options, {});
    const page = await api.readLog(sessionId, { before: AFTER_ALL, limit: WINDOW_EVENTS }, { signal });
    open.window = appendEvents(emptyLogWindow, page.events);
    const before = firstSeq(open.window.transcript);
    if (before !== undefined && isCutShort(open.window)) {
      const older = await api.readLog(sessionId, { before, limit: MOST_AT_ONCE }, { signal });
      open.window = prependEvents(open.window, older.events);
    }
    change(open, options, { state: "ready" });
  }
  const fold = createFrameBatch<EventEnvelope>(environment.nextFrame, (events) => {
    if (signal.aborted) return;
    open.window = appendEvents(open.window, events);
    change(open, options, {});
  });
  const after = open.window.transcript.lastSeq;
  const onState = (connection: SessionLog["connection"]): void => change(open, options, { connection });
  for await (const events of api.followEvents(sessionId, { after, signal, onState })) fold(events);
}

function missed(open: OpenLog, { lastSeqOf }: SessionLogsOptions): number {
  return (lastSeqOf(open.sessionId) ?? 0) - open.window.transcript.lastSeq;
}

async function loadOlder(open: OpenLog, options: SessionLogsOptions, limit = OLDER_EVENTS): Promise<void> {
  open.older ??= readOlder(open, options, limit).finally(() => {
    open.older = undefined;
  });
  await open.older;
}

async function readOlder(open: OpenLog, options: SessionLogsOptions, limit: number): Promise<void> {
  const before = firstSeq(open.window.transcript);
  if (before === undefined || before <= 1) return;
  change(open, options, { isLoadingOlder: true });
  try {
    const page = await options.api.readLog(open.sessionId, { before, limit });
    // It may have been read again meanwhile.
    if (firstSeq(open.window.transcript) === before) open.window = prependEvents(open.window, page.events);
  } finally {
    change(open, options, { isLoadingOlder: false });
  }
}

async function loadThrough(open: OpenLog, seq: number, options: SessionLogsOptions): Promise<void> {
  for (;;) {
    const first = firstSeq(open.window.transcript) ?? 0;
    if (first <= seq) return;
    // A few more, so that what comes before it is in sight too.
    await loadOlder(open, options, Math.min(MOST_AT_ONCE, Math.max(OLDER_EVENTS, first - seq + OLDER_EVENTS / 10)));
    if (firstSeq(open.window.transcript) === first) return;
  }
}

/** A hidden tab needs no deltas: session updates say that a turn waits or has ended. */
function watchVisibility(open: OpenLog, options: SessionLogsOptions): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = options.environment.onVisibility(() => {
    clearTimeout(timer);
    if (options.environment.isHidden()) timer = setTimeout(() => open.following?.abort(), HIDDEN_MS);
    else if (open.following?.signal.aborted === true && open.readers > 0) startFollowing(open, options);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
