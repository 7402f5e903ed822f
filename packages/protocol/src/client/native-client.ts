import type { BudgetView } from "../api/budget-view.ts";
import type { EditorAnswer, EditorOffer, FollowedEditorRequest } from "../api/editor-requests.ts";
import type { FleetView } from "../api/fleet-view.ts";
import type {
  AnswerApproval,
  AnsweredApproval,
  AnswerQuestion,
  ChangeSession,
  ConnectTest,
  ConnectTestResult,
  CreateSession,
  ExportFormat,
  ForkSession,
  OfferServers,
  StartedTurn,
  StartTurn,
} from "../api/native-requests.ts";
import type {
  AboutView,
  AgentCommandView,
  EventEnvelope,
  FindingView,
  GrantView,
  ModelView,
  SearchView,
  SessionPageView,
  SessionView,
  SymbolView,
  UsageRow,
} from "../api/session-view.ts";
import type { LaneName } from "../events/agent-event.ts";
import type { ImportPlace, LogPage, LogQuery, SearchQuery, SessionListQuery } from "../ports/sessions.ts";
import { type AgentCalls, agentCalls } from "./agent-calls.ts";
import { type ChangeCalls, changeCalls } from "./change-calls.ts";
import { type ComparisonCalls, comparisonCalls } from "./comparison-calls.ts";
import { type FollowedUpdate, followEditor, followEvents, followUpdates } from "./follow-events.ts";
import { type FollowOptions, followStream } from "./follow-stream.ts";
import { at, get, post, readJson, readNothing, sendCommand } from "./native-calls.ts";
import { createNativeWire, type NativeClientOptions, type NativeWire, type RequestOptions } from "./native-wire.ts";
import { eventSocket, eventStream } from "./open-events.ts";
import { type SettingsCalls, settingsCalls } from "./settings-calls.ts";
import { sseConnection } from "./sse-connection.ts";

export interface RawLine {
  readonly raw: string;
  /** The line is truncated; only its beginning is here. */
  readonly rawCut?: true;
}

export interface ExportedFile {
  readonly fileName: string;
  readonly content: Blob;
}

export interface FollowEventsOptions extends FollowOptions {
  /** The `seq` to start after; 0 for the whole log. */
  readonly after: number;
  readonly raw?: boolean;
}

/**
 * The native door, typed: for the web page, for scripts, for your own programs. Works wherever there is `fetch`.
 *
 *     const caret = createNativeClient({ baseUrl, headers: { authorization: `Bearer ${token}` } });
 *     const session = await caret.createSession({ workspace: "/home/me/project" });
 *     const { firstSeq } = await caret.startTurn(session.id, { prompt: "Fix the failing test" });
 *     for await (const events of caret.followEvents(session.id, { after: firstSeq - 1, signal })) …
 *
 * - Every failure rejects with a `CaretError`: branch on its `code`, show its `message` and its `fix`.
 * - If the gateway does not answer, the request is retried a few times. Commands carry one idempotency key across attempts, so a lost
 *   answer does not send a prompt twice. Pass your own key to stay safe across restarts of your program as well. A gateway restarted in
 *   between has forgotten the key: the log then shows the first turn as interrupted, followed by a second one.
 * - `followEvents` yields every event after `after` once and in order, across turns, lost connections and gateway restarts, in batches as
 *   they arrive. It ends only when its signal aborts, and rejects only if retrying cannot help.
 * - `followUpdates` yields the changes of all sessions. After each `opened`, read the list again: earlier updates may be missing.
 */
export interface NativeClient extends AgentCalls, ChangeCalls, ComparisonCalls, SettingsCalls {
  about(options?: RequestOptions): Promise<AboutView>;
  listSessions(query?: SessionListQuery, options?: RequestOptions): Promise<SessionPageView>;
  getSession(sessionId: string, options?: RequestOptions): Promise<SessionView>;
  /** Full-text search over everything said, newest first. */
  search(query: SearchQuery, options?: RequestOptions): Promise<SearchView>;
  createSession(wanted: CreateSession, options?: RequestOptions): Promise<SessionView>;
  changeSession(sessionId: string, changes: ChangeSession, options?: RequestOptions): Promise<SessionView>;
  deleteSession(sessionId: string, options?: RequestOptions): Promise<void>;
  forkSession(sessionId: string, wanted: ForkSession, options?: RequestOptions): Promise<SessionView>;
  /** Sets MCP servers for those turns of this session whose tools the gateway runs. Needs the scope `admin`. */
  offerServers(sessionId: string, wanted: OfferServers, options?: RequestOptions): Promise<void>;
  /**
   * Serves the gateway's tools with an editor's files and terminals until the signal aborts: answer each request. Needs the scope `admin`.
   */
  followEditor(
    sessionId: string,
    offer: EditorOffer,
    options: FollowOptions,
  ): AsyncIterable<readonly FollowedEditorRequest[]>;
  answerEditor(sessionId: string, requestId: string, answer: EditorAnswer, options?: RequestOptions): Promise<void>;
  startTurn(sessionId: string, wanted: StartTurn, options?: RequestOptions): Promise<StartedTurn>;
  cancelTurn(sessionId: string, turnId: string, options?: RequestOptions): Promise<void>;
  /** Rejects with `unsupported` if the turn cannot be steered. */
  steerTurn(sessionId: string, turnId: string, text: string, options?: RequestOptions): Promise<void>;
  answerQuestion(sessionId: string, requestId: string, answer: AnswerQuestion, options?: RequestOptions): Promise<void>;
  answerApproval(
    sessionId: string,
    requestId: string,
    answer: AnswerApproval,
    options?: RequestOptions,
  ): Promise<AnsweredApproval>;
  /** What is allowed for the rest of the session, oldest first. */
  listGrants(sessionId: string, options?: RequestOptions): Promise<readonly GrantView[]>;
  revokeGrant(sessionId: string, grantId: string, options?: RequestOptions): Promise<void>;
  readLog(sessionId: string, query?: LogQuery, options?: RequestOptions): Promise<LogPage>;
  /** The upstream line of an event. Rejects with `not-found` if it has none. */
  readRaw(sessionId: string, seq: number, options?: RequestOptions): Promise<RawLine>;
  followEvents(sessionId: string, options: FollowEventsOptions): AsyncIterable<readonly EventEnvelope[]>;
  followUpdates(options: FollowOptions): AsyncIterable<readonly FollowedUpdate[]>;
  /** Makes streams that are waiting to retry do so now: the network is back, or the page became visible. */
  retryNow(): void;
  /** An image from a prompt, by its name in `turn-start`. */
  readImage(sessionId: string, name: string, options?: RequestOptions): Promise<Blob>;
  exportSession(sessionId: string, format: ExportFormat, options?: RequestOptions): Promise<ExportedFile>;
  /** Imports an `ndjson` made by `exportSession`. */
  importSession(ndjson: Blob | string, options?: RequestOptions & ImportPlace): Promise<SessionView>;
  /** Relative paths, best first; `folders` adds directories, with a trailing slash. */
  findFiles(
    workspace: string,
    query: string,
    options?: RequestOptions & { readonly folders?: boolean },
  ): Promise<readonly string[]>;
  /** Definitions whose name starts with the query, best first. */
  findSymbols(workspace: string, query: string, options?: RequestOptions): Promise<readonly SymbolView[]>;
  /** The agent's own `/` commands; with the lane of the coming turns, also those its agent has announced. */
  agentCommands(
    workspace: string,
    options?: RequestOptions & { readonly lane?: LaneName },
  ): Promise<readonly AgentCommandView[]>;
  models(query?: { readonly refresh?: boolean }, options?: RequestOptions): Promise<readonly ModelView[]>;
  usage(days: number, options?: RequestOptions): Promise<readonly UsageRow[]>;
  /** State of the budgets before the session's next turn or, without one, before a new session. */
  budget(query?: { readonly session?: string }, options?: RequestOptions): Promise<BudgetView>;
  doctor(options?: RequestOptions): Promise<readonly FindingView[]>;
  /** The machines and the queue of the gateway's fleet. Rejects with `not-found` on a stand-alone gateway. */
  fleet(options?: RequestOptions): Promise<FleetView>;
  /** Allows turns to work in a directory; `keep: false` only until the gateway ends. Resolves with its physical path. */
  allowWorkspace(path: string, options?: RequestOptions & { readonly keep?: boolean }): Promise<string>;
  /** A small project to try things on, created on first use. Resolves with its path. */
  makeSampleProject(options?: RequestOptions): Promise<string>;
  testConnection(test: ConnectTest, options?: RequestOptions): Promise<ConnectTestResult>;
  /** The token is shown only this once. */
  createToken(name: string, options?: RequestOptions): Promise<{ readonly name: string; readonly token: string }>;
  /** A one-time link that signs in one browser. */
  createLink(options?: RequestOptions): Promise<{ readonly url: string; readonly expiresAt: number }>;
  /** For pages: the other half of the credentials arrives as a cookie. */
  signIn(code: string, options?: RequestOptions): Promise<{ readonly pageKey: string }>;
  signOut(options?: RequestOptions): Promise<void>;
}

export function createNativeClient(options: NativeClientOptions): NativeClient {
  const wire = createNativeWire(options);
  return {
    ...sessionCalls(wire),
    ...logCalls(wire, options),
    ...gatewayCalls(wire),
    ...agentCalls(wire),
    ...changeCalls(wire),
    ...comparisonCalls(wire, options),
    ...settingsCalls(wire),
  };
}

type SessionCalls = Pick<
  NativeClient,
  | "listSessions"
  | "getSession"
  | "search"
  | "createSession"
  | "changeSession"
  | "deleteSession"
  | "forkSession"
  | "offerServers"
  | "answerEditor"
  | "startTurn"
  | "cancelTurn"
  | "steerTurn"
  | "answerQuestion"
  | "answerApproval"
  | "listGrants"
  | "revokeGrant"
>;

function sessionCalls(wire: NativeWire): SessionCalls {
  return {
    listSessions: (query = {}, options) => get(wire, "sessions", query, options),
    getSession: (id, options) => get(wire, at`sessions/${id}`, {}, options),
    search: (query, options) => get(wire, "search", query, options),
    createSession: (wanted, options) => post(wire, "sessions", wanted, options),
    changeSession: (id, json, options) =>
      wire.send({ ...options, method: "PATCH", path: at`sessions/${id}`, json }, readJson<SessionView>),
    deleteSession: (id, options) => wire.send({ ...options, method: "DELETE", path: at`sessions/${id}` }, readNothing),
    forkSession: (id, wanted, options) => post(wire, at`sessions/${id}/fork`, wanted, options),
    offerServers: (id, wanted, options) => sendCommand(wire, at`sessions/${id}/servers`, wanted, options),
    answerEditor: (id, requestId, answer, options) =>
      sendCommand(wire, at`sessions/${id}/editor/${requestId}`, answer, options),
    startTurn: (id, wanted, options) => post(wire, at`sessions/${id}/turns`, wanted, options),
    cancelTurn: (id, turnId, options) => sendCommand(wire, at`sessions/${id}/turns/${turnId}/cancel`, {}, options),
    steerTurn: (id, turnId, text, options) =>
      sendCommand(wire, at`sessions/${id}/turns/${turnId}/steer`, { text }, options),
    answerQuestion: (id, requestId, answer, options) =>
      sendCommand(wire, at`sessions/${id}/questions/${requestId}`, answer, options),
    answerApproval: (id, requestId, answer, options) =>
      post(wire, at`sessions/${id}/approvals/${requestId}`, answer, options),
    listGrants: async (id, options) =>
      (await get<{ readonly grants: readonly GrantView[] }>(wire, at`sessions/${id}/grants`, {}, options)).grants,
    revokeGrant: (id, grantId, options) =>
      wire.send({ ...options, method: "DELETE", path: at`sessions/${id}/grants/${grantId}` }, readNothing),
  };
}

type LogCalls = Pick<
  NativeClient,
  | "readLog"
  | "readRaw"
  | "followEvents"
  | "followUpdates"
  | "followEditor"
  | "retryNow"
  | "readImage"
  | "exportSession"
  | "importSession"
>;

function logCalls(wire: NativeWire, options: NativeClientOptions): LogCalls {
  const retryNow = new EventTarget();
  const following = { ...options, retryNow };
  return {
    readLog: (id, query = {}, options) => get(wire, at`sessions/${id}/log`, query, options),
    readRaw: (id, seq, options) => get(wire, at`sessions/${id}/raw/${String(seq)}`, {}, options),
    followEvents: (id, wanted) =>
      followEvents(wanted.after, (last) => {
        const connect = options.socketProtocols === undefined ? eventStream : eventSocket;
        return followStream((signal) => connect(wire, options, { ...wanted, id, last, signal }), wanted, following);
      }),
    followUpdates: (wanted) => {
      const { silenceMs } = options;
      const connect = (signal: AbortSignal) => sseConnection(wire, { path: "sessions/stream", signal, silenceMs });
      return followUpdates(followStream(connect, wanted, following));
    },
    followEditor: (id, query, wanted) => {
      const { silenceMs } = options;
      const connect = (signal: AbortSignal) =>
        sseConnection(wire, { path: at`sessions/${id}/editor`, query, signal, silenceMs });
      return followEditor(followStream(connect, wanted, following));
    },
    retryNow: () => {
      retryNow.dispatchEvent(new Event("now"));
    },
    readImage: (id, name, options) =>
      wire.send({ ...options, path: at`sessions/${id}/images/${name}` }, (response) => response.blob()),
    exportSession: (id, format, options) =>
      wire.send({ ...options, path: at`sessions/${id}/export`, query: { format } }, readFile),
    importSession: (body, { machine, ...options } = {}) => {
      const headers = { "content-type": "application/x-ndjson" };
      const request = {
        ...options,
        method: "POST",
        path: "sessions/import",
        query: { machine },
        body,
        headers,
      } as const;
      return wire.send(request, readJson<SessionView>);
    },
  };
}

function gatewayCalls(
  wire: NativeWire,
): Omit<
  NativeClient,
  | keyof SessionCalls
  | keyof LogCalls
  | keyof AgentCalls
  | keyof ChangeCalls
  | keyof ComparisonCalls
  | keyof SettingsCalls
> {
  return {
    about: (options) => get(wire, "about", {}, options),
    findFiles: async (workspace, query, { folders, ...options } = {}) =>
      (await get<{ readonly files: readonly string[] }>(wire, "files", { workspace, query, folders }, options)).files,
    findSymbols: async (workspace, query, options) =>
      (await get<{ readonly symbols: readonly SymbolView[] }>(wire, "symbols", { workspace, query }, options)).symbols,
    agentCommands: async (workspace, { lane, ...options } = {}) =>
      (
        await get<{ readonly commands: readonly AgentCommandView[] }>(
          wire,
          "commands",
          { workspace, ...(lane === undefined ? {} : { lane }) },
          options,
        )
      ).commands,
    models: async (query = {}, options) =>
      (await get<{ readonly models: readonly ModelView[] }>(wire, "models", query, options)).models,
    usage: async (days, options) =>
      (await get<{ readonly rows: readonly UsageRow[] }>(wire, "usage", { days }, options)).rows,
    budget: (query = {}, options) => get(wire, "budget", query, options),
    fleet: (options) => get(wire, at`fleet`, {}, options),
    doctor: async (options) =>
      (await get<{ readonly findings: readonly FindingView[] }>(wire, "doctor", {}, options)).findings,
    testConnection: (test, options) => post(wire, "connect/test", test, options),
    allowWorkspace: async (path, { keep = true, ...options } = {}) =>
      (await post<{ readonly path: string }>(wire, "workspaces", { path, keep }, options)).path,
    makeSampleProject: async (options) =>
      (await post<{ readonly path: string }>(wire, "workspaces/sample", {}, options)).path,
    createToken: (name, options) => post(wire, "tokens", { name }, options),
    createLink: (options) => post(wire, "links", {}, options),
    signIn: (code, options) => post(wire, "sign-in", { code }, options),
    signOut: (options) => sendCommand(wire, "sign-out", {}, options),
  };
}

async function readFile(response: Response): Promise<ExportedFile> {
  const disposition = response.headers.get("content-disposition") ?? "";
  const fileName = /filename="([^"]+)"/.exec(disposition)?.[1] ?? "session";
  return { fileName, content: await response.blob() };
}
