import {
  CaretError,
  type ChangeSession,
  type CreateSession,
  type EventEnvelope,
  emptyTranscript,
  foldTranscript,
  type LaneName,
  type NativeClient,
  type PermissionWord,
  type QueueView,
  type SessionView,
  type StartTurn,
  type StreamState,
  type Transcript,
  type TranscriptTurn,
} from "@caret/protocol";
import { type FollowedAsks, followAsks } from "../following/followed-asks.ts";
import { withUnifiedDiffs } from "./unified-diffs.ts";

export type ChatMode = NonNullable<StartTurn["mode"]>;

export interface ChatSessionOptions {
  readonly client: NativeClient;
  /** Settings for creating the session when the first prompt is sent. */
  readonly wanted: CreateSession & { readonly workspace: string };
  readonly defaultPermission: PermissionWord;
  readonly defaultLane: LaneName;
  readonly mode: ChatMode;
  readonly onChange: () => void;
  readonly onError: (error: CaretError) => void;
  /** Called with events as they arrive, before they enter the transcript. */
  readonly onEvents?: (batch: readonly EventEnvelope[]) => Promise<unknown>;
}

/** What happened to the text a person sent. */
export type Sent = "started" | "steered" | "queued";

/** How many events of a long session are read when it is opened. */
const TAIL_EVENTS = 2_000;

/**
 * One session as a terminal shows it: its transcript, kept up to date from its log, and the person's actions on it. Nothing is created
 * before the first prompt. The gateway keeps prompts queued for the end of the turn.
 */
export class ChatSession {
  readonly asks: FollowedAsks;
  mode: ChatMode;
  readonly #options: ChatSessionOptions;
  readonly #leaving = new AbortController();
  #wanted: ChatSessionOptions["wanted"];
  #view: SessionView | undefined;
  #transcript: Transcript = emptyTranscript;
  #queue: QueueView = { prompts: [] };
  #connection: StreamState = "open";
  #isStarting = false;
  #isStopping = false;
  #isTail = false;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
    this.#wanted = options.wanted;
    this.mode = options.mode;
    this.asks = followAsks(options.client, () => this.#view?.id ?? "", options.onError);
  }

  get view(): SessionView | undefined {
    return this.#view;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  /** Whether the transcript omits earlier events. */
  get isTail(): boolean {
    return this.#isTail;
  }

  get workspace(): string {
    return this.#view?.workspace ?? this.#wanted.workspace;
  }

  get model(): string | undefined {
    return this.#view?.model ?? this.#wanted.model;
  }

  get permission(): PermissionWord {
    return this.#view?.permission ?? this.#wanted.permission ?? this.#options.defaultPermission;
  }

  get lane(): LaneName {
    return this.#view?.lane ?? this.#wanted.lane ?? this.#options.defaultLane;
  }

  /** Prompts queued for the end of the turn, from this terminal or elsewhere. */
  get queue(): QueueView {
    return this.#queue;
  }

  get connection(): StreamState {
    return this.#connection;
  }

  get isStarting(): boolean {
    return this.#isStarting;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get running(): TranscriptTurn | undefined {
    const turn = this.#transcript.turns.at(-1);
    return turn?.outcome === undefined ? turn : undefined;
  }

  /** Shows an existing session: its newest events, then new ones as they come. */
  async open(view: SessionView): Promise<void> {
    this.#view = view;
    const { events } = await this.#options.client.readLog(view.id, { before: view.lastSeq + 1, limit: TAIL_EVENTS });
    this.#isTail = (events[0]?.seq ?? 1) > 1;
    await this.#take(events);
    this.#keepUp(view.id, events.at(-1)?.seq ?? view.lastSeq);
    await this.#readQueue(view.id);
  }

  /** Starts a turn or steers the running one; if that cannot be steered, the prompt is queued. */
  async send(prompt: string): Promise<Sent> {
    const turn = this.running;
    if (this.#isStarting) return await this.enqueue(prompt);
    if (turn === undefined) return await this.#start(prompt);
    const { client } = this.#options;
    try {
      await client.steerTurn(this.#view?.id ?? "", turn.turnId, prompt);
      return "steered";
    } catch (reason) {
      if (!CaretError.is(reason) || (reason.code !== "unsupported" && reason.code !== "not-found")) throw reason;
      return await this.enqueue(prompt);
    }
  }

  /** Queues a prompt for the end of the turn; without a running turn it starts one. */
  async enqueue(prompt: string): Promise<"queued"> {
    const { id } = await this.#created();
    await this.#options.client.queuePrompt(id, { prompt, mode: this.mode });
    await this.#readQueue(id);
    return "queued";
  }

  /** Removes a prompt from the queue; undefined if that position is empty. */
  async dequeue(index: number): Promise<string | undefined> {
    const message = this.#queue.prompts[index];
    if (message === undefined || this.#view === undefined) return undefined;
    await this.#options.client.removeQueued(this.#view.id, message.id);
    await this.#readQueue(this.#view.id);
    return message.text;
  }

  /** Starts a turn with the oldest queued prompt: after a failed or stopped turn, that is the person's decision. */
  async sendQueued(): Promise<void> {
    if (this.#view !== undefined) await this.#options.client.startQueued(this.#view.id);
  }

  /** Asks the running turn to stop. False if none runs. */
  async stop(): Promise<boolean> {
    const turn = this.running;
    if (turn === undefined) return false;
    this.#isStopping = true;
    this.#options.onChange();
    await this.#options.client.cancelTurn(this.#view?.id ?? "", turn.turnId).catch((reason: unknown) => {
      this.#isStopping = false;
      throw reason;
    });
    return true;
  }

  /** Changes the session or, before it exists, the settings it will be created with. */
  async change(changes: Pick<ChangeSession, "model" | "permission" | "title">): Promise<void> {
    if (this.#view === undefined) this.#wanted = { ...this.#wanted, ...changes };
    else this.#view = await this.#options.client.changeSession(this.#view.id, changes);
    this.#options.onChange();
  }

  close(): void {
    this.#leaving.abort();
  }

  async #start(prompt: string): Promise<Sent> {
    const { client, onChange } = this.#options;
    this.#isStarting = true;
    onChange();
    try {
      const { id, agent } = await this.#created();
      // An agent's session has its queue in the gateway.
      if (agent !== undefined) await client.sendMessage(agent, { text: prompt });
      else await client.startTurn(id, { prompt, ...(this.mode === "agent" ? {} : { mode: this.mode }) });
      return "started";
    } finally {
      this.#isStarting = false;
      onChange();
    }
  }

  async #created(): Promise<SessionView> {
    if (this.#view !== undefined) return this.#view;
    const view = await this.#options.client.createSession(this.#wanted);
    this.#view = view;
    this.#keepUp(view.id, view.lastSeq);
    return view;
  }

  #keepUp(sessionId: string, after: number): void {
    const { onError } = this.#options;
    for (const work of [this.#follow(sessionId, after), this.#watch(sessionId)])
      void work.catch((reason: unknown) => this.#leaving.signal.aborted || onError(CaretError.from(reason)));
  }

  async #follow(sessionId: string, after: number): Promise<void> {
    const { signal } = this.#leaving;
    const onState = (state: StreamState): void => {
      this.#connection = state;
      this.#options.onChange();
    };
    for await (const batch of this.#options.client.followEvents(sessionId, { after, signal, onState }))
      await this.#take(batch);
  }

  /** Follows what is not in the log: the session's title, settings and queue. */
  async #watch(sessionId: string): Promise<void> {
    const { client } = this.#options;
    for await (const updates of client.followUpdates({ signal: this.#leaving.signal })) {
      const hasOpened = updates.some(({ kind }) => kind === "opened");
      const changed = updates.findLast((update) => update.kind === "changed" && update.session.id === sessionId);
      if (hasOpened) await this.#see(await client.getSession(sessionId));
      else if (changed?.kind === "changed") await this.#see(changed.session);
    }
  }

  async #see(view: SessionView): Promise<void> {
    const before = this.#view?.queued;
    this.#view = view;
    if (before?.at !== view.queued?.at || before?.count !== view.queued?.count) await this.#readQueue(view.id);
    this.#options.onChange();
  }

  async #readQueue(sessionId: string): Promise<void> {
    this.#queue = await this.#options.client.listQueue(sessionId);
    this.#options.onChange();
  }

  async #take(batch: readonly EventEnvelope[]): Promise<void> {
    await this.#options.onEvents?.(batch);
    this.#transcript = foldTranscript(this.#transcript, await withUnifiedDiffs(batch));
    this.asks.note(batch);
    if (this.running === undefined) this.#isStopping = false;
    this.#options.onChange();
  }
}
