import {
  type AgentCommandView,
  type AgentEvent,
  type AnswerApproval,
  type AnsweredApproval,
  type AnswerQuestion,
  type BudgetView,
  type Caller,
  CaretError,
  type ChangeSession,
  type ChangesView,
  type CommitChanges,
  type CommittedChanges,
  type CreateSession,
  type DiscardHunk,
  type EditorAnswer,
  type EditorOffer,
  type EventEnvelope,
  type ExportFormat,
  type FollowedEditorRequest,
  type ForkSession,
  type GrantView,
  type LaneName,
  type LogPage,
  type LogQuery,
  type OfferServers,
  type SearchQuery,
  type SearchView,
  type SessionExport,
  type SessionImage,
  type SessionListQuery,
  type SessionPageView,
  type Sessions,
  type SessionUpdate,
  type SessionView,
  type StartedTurn,
  type StartTurn,
  type SymbolView,
  type UsageRow,
} from "@caret/protocol";

interface Kept {
  readonly view: SessionView;
  readonly log: EventEnvelope[];
}

/** An in-memory `Sessions` port that records its calls; its sessions contain what a test appends. */
export class ScriptedSessions implements Sessions {
  /** Recorded calls: method name and arguments. */
  readonly asked: unknown[][] = [];
  /** Current followers. */
  followers = 0;
  /** If set, every later command rejects with it. */
  failure: CaretError | undefined;
  readonly #sessions = new Map<string, Kept>();
  readonly #wakers = new Set<() => void>();
  readonly #updates: SessionUpdate[] = [];
  readonly #batchSize: number;

  constructor({ batchSize = 3 } = {}) {
    this.#batchSize = batchSize;
  }

  addSession(id: string, view: Partial<SessionView> = {}): void {
    this.#sessions.set(id, { view: { ...blankSession, id, ...view }, log: [] });
  }

  append(id: string, events: readonly AgentEvent[], raw?: string): void {
    const { log } = this.#find(id);
    for (const event of events) {
      const seq = log.length + 1;
      log.push({ sessionId: id, seq, turnId: "t1", at: seq, event, ...(raw === undefined ? {} : { raw }) });
    }
    this.#wake();
  }

  publish(item: SessionUpdate): void {
    this.#updates.push(item);
    this.#wake();
  }

  remove(id: string): void {
    this.#sessions.delete(id);
    this.#wake();
  }

  async findCommand(): Promise<undefined> {
    return undefined;
  }

  async list(query: SessionListQuery, caller: Caller): Promise<SessionPageView> {
    this.#note("list", query, caller);
    return { sessions: [...this.#sessions.keys()].map((id) => this.#view(id)) };
  }

  async search(query: SearchQuery, caller: Caller): Promise<SearchView> {
    this.#note("search", query, caller);
    return { places: [], behind: 0 };
  }

  async get(id: string): Promise<SessionView> {
    return this.#view(id);
  }

  async create(wanted: CreateSession, caller: Caller): Promise<SessionView> {
    this.#note("create", wanted, caller);
    const id = `s${this.#sessions.size + 1}`;
    this.addSession(id, wanted);
    return this.#view(id);
  }

  async change(id: string, changes: ChangeSession, caller: Caller): Promise<SessionView> {
    this.#note("change", id, changes, caller);
    const { pinned, ...rest } = changes;
    return { ...this.#view(id), ...rest, ...(pinned === true ? { pinned } : {}) };
  }

  async delete(id: string, caller: Caller): Promise<void> {
    this.#note("delete", id, caller);
    this.#find(id);
    this.remove(id);
  }

  async fork(id: string, wanted: ForkSession, caller: Caller): Promise<SessionView> {
    this.#note("fork", id, wanted, caller);
    return { ...this.#view(id), id: `${id}-fork` };
  }

  async offerServers(id: string, wanted: OfferServers, caller: Caller): Promise<void> {
    this.#note("offerServers", id, wanted, caller);
  }

  followEditor(
    id: string,
    { offer, signal }: { readonly offer: EditorOffer; readonly signal: AbortSignal },
    caller: Caller,
  ): AsyncIterable<readonly FollowedEditorRequest[]> {
    this.#note("followEditor", id, offer, caller);
    return this.#follow(signal, () => []);
  }

  async answerEditor(id: string, requestId: string, answer: EditorAnswer, caller: Caller): Promise<void> {
    this.#note("answerEditor", id, requestId, answer, caller);
  }

  async startTurn(id: string, wanted: StartTurn, caller: Caller): Promise<StartedTurn> {
    this.#note("startTurn", id, wanted, caller);
    return { sessionId: id, turnId: "t1", firstSeq: this.#view(id).lastSeq + 1 };
  }

  async cancelTurn(id: string, turnId: string, caller: Caller): Promise<void> {
    this.#note("cancelTurn", id, turnId, caller);
  }

  async steerTurn(id: string, turnId: string, text: string, caller: Caller): Promise<void> {
    this.#note("steerTurn", id, turnId, text, caller);
  }

  async answerQuestion(id: string, requestId: string, answer: AnswerQuestion, caller: Caller): Promise<void> {
    this.#note("answerQuestion", id, requestId, answer, caller);
  }

  async answerApproval(
    id: string,
    requestId: string,
    answer: AnswerApproval,
    caller: Caller,
  ): Promise<AnsweredApproval> {
    this.#note("answerApproval", id, requestId, answer, caller);
    return {};
  }

  async listGrants(id: string, caller: Caller): Promise<readonly GrantView[]> {
    this.#note("listGrants", id, caller);
    return [];
  }

  async revokeGrant(id: string, grantId: string, caller: Caller): Promise<void> {
    this.#note("revokeGrant", id, grantId, caller);
  }

  async readLog(id: string, { after = 0, before, limit = 500, raw = false }: LogQuery): Promise<LogPage> {
    const { log } = this.#find(id);
    const events =
      before === undefined
        ? log.filter(({ seq }) => seq > after).slice(0, limit)
        : log.filter(({ seq }) => seq < before).slice(-limit);
    return { events: shown(events, raw), lastSeq: log.length };
  }

  followLog(
    id: string,
    { after, raw = false, signal }: { readonly after: number; readonly raw?: boolean; readonly signal: AbortSignal },
  ): AsyncIterable<readonly EventEnvelope[]> {
    let seen = after;
    return this.#follow(signal, () => {
      const batch = this.#sessions.get(id)?.log.slice(seen, seen + this.#batchSize);
      seen += batch?.length ?? 0;
      return batch === undefined ? undefined : shown(batch, raw);
    });
  }

  followUpdates(signal: AbortSignal): AsyncIterable<readonly SessionUpdate[]> {
    let seen = this.#updates.length;
    return this.#follow(signal, () => {
      const batch = this.#updates.slice(seen);
      seen = this.#updates.length;
      return batch;
    });
  }

  async readImage(id: string, name: string, caller: Caller): Promise<SessionImage> {
    this.#note("image", id, name, caller);
    this.#find(id);
    return { mediaType: "image/png", bytes: Buffer.from("pixels") };
  }

  async exportSession(id: string, format: ExportFormat, caller: Caller): Promise<SessionExport> {
    this.#note("export", id, format, caller);
    this.#find(id);
    return { fileName: `${id}.${format}`, mediaType: "text/plain; charset=utf-8", chunks: chunksOf("a\n", "b\n") };
  }

  async importSession(chunks: AsyncIterable<Uint8Array>, caller: Caller): Promise<SessionView> {
    let text = "";
    for await (const chunk of chunks) text += Buffer.from(chunk).toString("utf8");
    this.#note("import", text, caller);
    this.addSession("imported");
    return this.#view("imported");
  }

  async sessionChanges(id: string, caller: Caller): Promise<ChangesView> {
    this.#note("sessionChanges", id, caller);
    return { isRepository: true, since: "session", files: [], omitted: 0 };
  }

  async discardHunk(id: string, wanted: DiscardHunk, caller: Caller): Promise<void> {
    this.#note("discardHunk", id, wanted, caller);
  }

  async commitChanges(id: string, wanted: CommitChanges, caller: Caller): Promise<CommittedChanges> {
    this.#note("commitChanges", id, wanted, caller);
    return { commit: "0".repeat(40) };
  }

  async changes(id: string, caller: Caller): Promise<ChangesView> {
    this.#note("changes", id, caller);
    this.#find(id);
    return { isRepository: false, files: [], omitted: 0 };
  }

  async findSymbols(workspace: string, query: string, caller: Caller): Promise<readonly SymbolView[]> {
    this.#note("findSymbols", workspace, query, caller);
    return [{ name: query, path: "a.ts", line: 1 }];
  }

  async agentCommands(
    workspace: string,
    lane: LaneName | undefined,
    caller: Caller,
  ): Promise<readonly AgentCommandView[]> {
    this.#note("agentCommands", workspace, lane, caller);
    return [{ name: "review", source: "workspace", description: "Review", text: "Review it." }];
  }

  async findFiles(workspace: string, query: string, caller: Caller): Promise<readonly string[]> {
    this.#note("findFiles", workspace, query, caller);
    return ["a.ts"];
  }

  async usage(days: number, caller: Caller): Promise<readonly UsageRow[]> {
    this.#note("usage", days, caller);
    return [];
  }

  async budget(id: string | undefined, caller: Caller): Promise<BudgetView> {
    this.#note("budget", id, caller);
    return { lines: [], warnings: [] };
  }

  #note(...asked: unknown[]): void {
    this.asked.push(asked);
    if (this.failure !== undefined) throw this.failure;
  }

  #find(id: string): Kept {
    const kept = this.#sessions.get(id);
    if (kept === undefined) throw new CaretError("session-not-found", `There is no session ${id}`);
    return kept;
  }

  #view(id: string): SessionView {
    const { view, log } = this.#find(id);
    return { ...view, lastSeq: log.length };
  }

  #wake(): void {
    for (const waker of [...this.#wakers]) waker();
  }

  #woken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wakers.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#wakers.add(done);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  async *#follow<Item>(signal: AbortSignal, take: () => readonly Item[] | undefined): AsyncGenerator<readonly Item[]> {
    this.followers += 1;
    try {
      while (!signal.aborted) {
        const batch = take();
        if (batch === undefined) return;
        if (batch.length > 0) yield batch;
        else await this.#woken(signal);
      }
    } finally {
      this.followers -= 1;
    }
  }
}

const blankSession: SessionView = {
  id: "",
  title: "A session",
  workspace: "/w",
  permission: "auto-edits",
  createdAt: 0,
  updatedAt: 0,
  archived: false,
  lastSeq: 0,
  lastLine: "",
  status: { kind: "idle" },
};

function shown(log: readonly EventEnvelope[], raw: boolean): readonly EventEnvelope[] {
  return raw ? log : log.map(({ raw: _raw, rawCut: _cut, ...envelope }) => envelope);
}

async function* chunksOf(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}
