import {
  applyPriceUpdates,
  CaretError,
  createNativeClient,
  type FollowedUpdate,
  type NativeClient,
  type SessionView,
  type StreamState,
} from "@caret/protocol";
import { createStore, type StoreApi } from "zustand/vanilla";
import { createFrameBatch } from "./frame-batch.ts";
import { createPageKey, type PageEnvironment } from "./page-environment.ts";
import { emptyPageState, type PageState, type SessionLog } from "./page-state.ts";
import { searchSessions } from "./search-sessions.ts";
import { foldUpdates, putSessions, takeFirstPage, takeNextPage, withActive, withPinned } from "./session-list.ts";
import { createSessionLogs, type SessionLogs } from "./session-logs.ts";
import { shareUpdates } from "./share-updates.ts";

const LIST_PAGE = 100;
/** As many as a gateway runs at once by default, and the most that it gives on one page. */
const MOST_ACTIVE = 500;
const READ_AGAIN_MS = 2000;

/** The page's one store and everything that fills it. */
export interface PageData {
  readonly store: StoreApi<PageState>;
  readonly api: NativeClient;
  readonly logs: SessionLogs;
  /** Where the page keeps its half of the credential: another tab changes it when it signs in or out. */
  readonly pageKeyName: string;
  /** Find out whether this browser is signed in, and then keep up with the gateway. Again: from the beginning. */
  start(): void;
  /** Never rejects: what went wrong is in the state. */
  signIn(code: string): Promise<void>;
  signOut(): Promise<void>;
  /** How a person starts Caret where the gateway runs, such as `caret`. */
  readCommandForm(): Promise<string>;
  /** Read the next page of the list. */
  loadMore(): Promise<void>;
  /** An empty search with `archived` false shows the plain list again. */
  search(search: string, archived: boolean): void;
  loadMoreFound(): Promise<void>;
  /** What a command answered is what is known now. */
  put(view: SessionView): void;
  forget(sessionId: string): void;
  loadModels(refresh?: boolean): Promise<void>;
}

export function createPageData(environment: PageEnvironment): PageData {
  const store = createStore<PageState>(() => emptyPageState(environment.now()));
  const pageKey = createPageKey(environment);
  let visit = new AbortController();

  const leave = (signInError?: CaretError): void => {
    visit.abort();
    logs.clear();
    pageKey.write(undefined);
    store.setState({ ...emptyPageState(environment.now()), signIn: "out", signInError }, true);
  };
  const api = createNativeClient({
    baseUrl: environment.baseUrl,
    headers: () => ({ "x-caret-page": pageKey.read() ?? "" }),
    // A page cannot send headers with a socket: its half of the credential goes among the subprotocols.
    socketProtocols: () => ["caret.events", `caret.page.${pageKey.read() ?? ""}`],
    fetch: async (input, init) => {
      const key = pageKey.read();
      const response = await environment.fetch(input, init);
      // A wrong code at sign-in is no reason to forget anything, nor is an answer to a credential of the past.
      if (response.status === 401 && key === pageKey.read() && !String(input).endsWith("/sign-in"))
        leave(key === undefined ? undefined : signedOut());
      return response;
    },
  });
  const logs = createSessionLogs({
    api,
    environment,
    show: (sessionId, log) => store.setState(({ logs }) => ({ logs: withLog(logs, sessionId, log) })),
    lastSeqOf: (sessionId) => store.getState().sessions.get(sessionId)?.lastSeq,
  });
  const start = (): void => {
    if (pageKey.read() === undefined) return leave();
    visit.abort();
    visit = new AbortController();
    logs.clear();
    store.setState(emptyPageState(environment.now()), true);
    const { signal } = visit;
    keepUp({ environment, store, api, logs, signal }).catch((reason) => {
      if (!signal.aborted) store.setState({ connection: lostConnection(environment, reason) });
    });
  };

  return {
    store,
    api,
    logs,
    pageKeyName: pageKey.name,
    start,
    async signIn(code) {
      store.setState({ signIn: "checking", signInError: undefined });
      try {
        const { pageKey: key } = await api.signIn(code);
        pageKey.write(key);
        start();
      } catch (reason) {
        // Who was signed in before stays so.
        start();
        store.setState({ signInError: CaretError.from(reason) });
      }
    },
    async readCommandForm() {
      const response = await environment.fetch(new URL("healthz", environment.baseUrl));
      return ((await response.json()) as { readonly command: string }).command;
    },
    async signOut() {
      await api.signOut();
      leave();
    },
    ...listActions(store, api),
  };
}

function signedOut(): CaretError {
  return new CaretError("unauthenticated", "This browser is no longer signed in: its access was revoked", {
    fix: "Sign in again. Sessions and turns are as they were.",
  });
}

type ListActions = Pick<PageData, "loadMore" | "search" | "loadMoreFound" | "put" | "forget" | "loadModels">;

function listActions(store: StoreApi<PageState>, api: NativeClient): ListActions {
  return {
    async loadMore() {
      const { next } = store.getState();
      if (next === undefined) return;
      const page = await api.listSessions({ archived: false, limit: LIST_PAGE, after: next });
      store.setState((state) => (state.next === next ? takeNextPage(state, page) : {}));
    },
    ...searchSessions(store, api),
    put: (view) => store.setState(({ sessions }) => ({ sessions: putSessions(sessions, [view]) })),
    forget: (sessionId) => store.setState((state) => foldUpdates(state, [{ kind: "deleted", sessionId }])),
    async loadModels(refresh = false) {
      if (store.getState().models !== undefined && !refresh) return;
      store.setState({ models: await api.models(refresh ? { refresh } : {}) });
    },
  };
}

interface KeepUp {
  readonly environment: PageEnvironment;
  readonly store: StoreApi<PageState>;
  readonly api: NativeClient;
  readonly logs: SessionLogs;
  readonly signal: AbortSignal;
}

/** One stream of updates keeps the list true. After each connection the list and what the gateway is are read again. */
async function keepUp({ environment, store, api, logs, signal }: KeepUp): Promise<void> {
  let changed = new Set<string>();
  const readAll = async (): Promise<void> => {
    const meanwhile = new Set<string>();
    changed = meanwhile;
    const [about, page, pinned, active] = await Promise.all([
      api.about({ signal }),
      api.listSessions({ archived: false, limit: LIST_PAGE }, { signal }),
      // They are shown on top, however long ago they were used.
      api.listSessions({ archived: false, pinned: true, limit: LIST_PAGE }, { signal }),
      // A session that waits for a person changes no more: newer ones push it off the first page.
      api.listSessions({ active: true, limit: MOST_ACTIVE }, { signal }),
    ]);
    if (signal.aborted) return;
    applyPriceUpdates(about.prices ?? []);
    store.setState((state) => ({
      signIn: "in",
      about,
      ...withActive(withPinned(takeFirstPage(state, page, meanwhile), pinned.sessions), active.sessions),
    }));
    onState("open");
  };
  const readUntilDone = (): void => {
    const reading = readAll();
    const mine = changed;
    reading.catch((reason) => {
      if (signal.aborted || mine !== changed) return;
      onState("reconnecting", CaretError.from(reason));
      setTimeout(readUntilDone, READ_AGAIN_MS);
    });
  };
  const onState = (state: StreamState, reason?: CaretError): void =>
    store.setState(({ connection }) => ({ connection: nextConnection(connection, state, environment.now(), reason) }));
  const fold = createFrameBatch<FollowedUpdate>(environment.nextFrame, (updates) => {
    if (signal.aborted) return;
    for (const item of updates) if (item.kind === "changed") changed.add(item.session.id);
    store.setState((state) => foldUpdates(state, updates));
  });
  const onUpdates = (updates: readonly FollowedUpdate[]): void => {
    fold(updates.filter(({ kind }) => kind !== "opened"));
    if (!updates.some(({ kind }) => kind === "opened")) return;
    // Sockets do not notice a connection that died silently, after sleep for instance; the stream of updates does.
    logs.reconnect();
    readUntilDone();
  };
  const { locks, baseUrl } = environment;
  await shareUpdates({
    follow: api.followUpdates,
    locks,
    name: `caret-updates ${baseUrl}`,
    signal,
    onUpdates,
    onState,
  });
}

function nextConnection(
  connection: PageState["connection"],
  state: StreamState,
  now: number,
  reason?: CaretError,
): PageState["connection"] {
  const since = connection.state === state ? connection.since : now;
  return reason === undefined ? { state, since } : { state, since, reason };
}

function lostConnection({ now }: PageEnvironment, reason: unknown): PageState["connection"] {
  return { state: "reconnecting", since: now(), reason: CaretError.from(reason) };
}

function withLog(
  logs: ReadonlyMap<string, SessionLog>,
  sessionId: string,
  log: SessionLog | undefined,
): ReadonlyMap<string, SessionLog> {
  const all = new Map(logs);
  if (log === undefined) all.delete(sessionId);
  else all.set(sessionId, log);
  return all;
}
