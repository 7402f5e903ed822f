import {
  type AgentContext,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type NewSessionRequest,
  type NewSessionResponse,
  RequestError,
  type ResumeSessionRequest,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import {
  CaretError,
  type CreateSession,
  isSideCall,
  type NativeClient,
  type OfferedServer,
  type SessionView,
  type Usage,
} from "@caret/protocol";
import { type ClientFeatures, featuresOf } from "./client-features.ts";
import { toOfferedServers } from "./mcp-servers.ts";
import { OpenSession } from "./open-session.ts";
import { SessionState } from "./session-state.ts";
import { availableCommands } from "./slash-commands.ts";

/** Sessions read for one page of a list. */
const LIST_PAGE = 100;

export interface AcpConnectionOptions {
  readonly caret: NativeClient;
  /** Defaults for the client's new sessions. */
  readonly newSession: Pick<CreateSession, "lane" | "model" | "permission">;
  /** Whether opening a session in a directory makes it an allowed workspace. */
  readonly allowsWorkspaces: boolean;
  /** Called when such a directory was allowed, until the gateway ends. */
  readonly onAllowed: (workspace: string) => void;
  readonly onError: (error: CaretError) => void;
}

interface Opened {
  readonly session: OpenSession;
  readonly state: SessionState;
  /** The client's servers, for the session's turns. */
  readonly servers: readonly OfferedServer[];
}

/** One ACP client and the sessions it has open. */
export class AcpConnection {
  features: ClientFeatures = featuresOf();
  readonly #options: AcpConnectionOptions;
  readonly #client: AgentContext;
  readonly #gone: AbortSignal;
  readonly #opened = new Map<string, Opened>();
  #isWatching = false;

  constructor(client: AgentContext, gone: AbortSignal, options: AcpConnectionOptions) {
    this.#client = client;
    this.#gone = gone;
    this.#options = options;
  }

  async create({ cwd, mcpServers }: NewSessionRequest): Promise<NewSessionResponse> {
    const servers = toOfferedServers(mcpServers);
    const view = await this.#createIn(cwd);
    const { session, state } = await this.#open(view, servers);
    await session.resume();
    return { sessionId: view.id, ...state.answer() };
  }

  async load({ sessionId, mcpServers }: LoadSessionRequest): Promise<Omit<NewSessionResponse, "sessionId">> {
    const servers = toOfferedServers(mcpServers);
    const { session, state } = await this.#open(await this.#options.caret.getSession(sessionId), servers);
    await session.replay();
    return state.answer();
  }

  async resume({ sessionId, mcpServers = [] }: ResumeSessionRequest): Promise<Omit<NewSessionResponse, "sessionId">> {
    const servers = toOfferedServers(mcpServers);
    const { session, state } = await this.#open(await this.#options.caret.getSession(sessionId), servers);
    await session.resume();
    return state.answer();
  }

  /** Filters pages of the gateway's list, possibly by directory, so a page can be empty without being the last. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const after = cursor ?? undefined;
    const query = { archived: false, limit: LIST_PAGE, ...(after === undefined ? {} : { after }) };
    const { sessions, next } = await this.#options.caret.listSessions(query);
    const shown = sessions.filter((view) => !isSideCall(view) && (cwd == null || view.workspace === cwd));
    return { sessions: shown.map(toSessionInfo), ...(next === undefined ? {} : { nextCursor: next }) };
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#opened.get(sessionId)?.session.cancel();
  }

  async close(sessionId: string): Promise<void> {
    const { session, servers } = this.find(sessionId);
    await session.close();
    this.#opened.delete(sessionId);
    if (servers.length > 0) await this.#options.caret.offerServers(sessionId, { servers: [] });
  }

  async delete(sessionId: string): Promise<void> {
    if (this.#opened.has(sessionId)) await this.close(sessionId);
    await this.#options.caret.deleteSession(sessionId);
  }

  async setMode(sessionId: string, mode: string): Promise<void> {
    await this.setOption(sessionId, "mode", mode);
  }

  async setOption(sessionId: string, configId: string, value: unknown): Promise<ReturnType<SessionState["options"]>> {
    const { session, state } = this.find(sessionId);
    const change = state.change(configId, value);
    if (change === undefined) {
      session.mode = state.mode;
      await session.send({ sessionUpdate: "current_mode_update", currentModeId: state.mode });
    } else state.update(await this.#options.caret.changeSession(sessionId, change));
    return state.options();
  }

  find(sessionId: string): Opened {
    const opened = this.#opened.get(sessionId);
    if (opened === undefined) throw RequestError.sessionNotFound(sessionId);
    return opened;
  }

  async #createIn(workspace: string): Promise<SessionView> {
    const { caret, newSession } = this.#options;
    return await this.#allowing(workspace, () => caret.createSession({ ...newSession, workspace }));
  }

  /** The person opened the directory in the editor, so it is allowed until the gateway ends, but not saved: an editor opens many. */
  async #allowing<Value>(workspace: string, act: () => Promise<Value>): Promise<Value> {
    const { caret, allowsWorkspaces, onAllowed } = this.#options;
    try {
      return await act();
    } catch (reason) {
      const isForbidden = CaretError.is(reason) && reason.code === "workspace-forbidden";
      if (!isForbidden || !allowsWorkspaces) throw reason;
      onAllowed(await caret.allowWorkspace(workspace, { keep: false }));
      return await act();
    }
  }

  async #open(view: SessionView, servers: readonly OfferedServer[]): Promise<Opened> {
    const { caret, onError } = this.#options;
    await this.#opened.get(view.id)?.session.close();
    if (servers.length > 0) await caret.offerServers(view.id, { servers });
    const state = await SessionState.read(caret, view);
    const session = new OpenSession({
      caret,
      client: this.#client,
      features: this.features,
      view,
      gone: this.#gone,
      allowing: (act) => this.#allowing(view.workspace, act),
      onTurnEnd: (ended, usage) => this.#refresh(ended, state, usage),
      onError,
    });
    await session.openEditor();
    const opened = { session, state, servers };
    this.#opened.set(view.id, opened);
    // Sent after the answer to the request that opens it: clients drop updates for a session they do not know yet.
    setImmediate(() => void this.#announce(session).catch((reason: unknown) => onError(CaretError.from(reason))));
    this.#watch();
    return opened;
  }

  async #announce(session: OpenSession): Promise<void> {
    if (this.#gone.aborted) return;
    await session.send({ sessionUpdate: "available_commands_update", availableCommands });
  }

  /** A turn changes its session's title and cost. */
  async #refresh(session: OpenSession, state: SessionState, usage: Usage | undefined): Promise<void> {
    const updates = state.update(await this.#options.caret.getSession(session.id));
    for (const update of [...updates, ...state.usageUpdate(usage)]) await session.send(update);
  }

  /** Shows changes made elsewhere, for example on the page. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#watchUpdates().catch((reason: unknown) => {
      if (!this.#gone.aborted) this.#options.onError(CaretError.from(reason));
    });
  }

  async #watchUpdates(): Promise<void> {
    let streams = 0;
    for await (const batch of this.#options.caret.followUpdates({ signal: this.#gone })) {
      for (const update of batch) {
        if (update.kind === "changed") await this.#show(update.session);
        if (update.kind === "opened") await this.#catchUp({ isAgain: streams++ > 0 });
      }
    }
  }

  async #show(view: SessionView): Promise<void> {
    const opened = this.#opened.get(view.id);
    for (const update of opened?.state.update(view) ?? []) await opened?.session.send(update);
  }

  /** The stream lacks earlier changes, and a restarted gateway has forgotten its clients' servers. */
  async #catchUp({ isAgain }: { readonly isAgain: boolean }): Promise<void> {
    const { caret } = this.#options;
    for (const [id, { servers }] of this.#opened) {
      await this.#show(await caret.getSession(id));
      if (isAgain && servers.length > 0) await caret.offerServers(id, { servers });
    }
  }
}

function toSessionInfo({ id, workspace, title, updatedAt }: SessionView): SessionInfo {
  return { sessionId: id, cwd: workspace, title, updatedAt: new Date(updatedAt).toISOString() };
}
