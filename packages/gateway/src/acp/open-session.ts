import {
  type AgentContext,
  type ContentBlock,
  methods,
  type PromptResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import {
  CaretError,
  type EventEnvelope,
  type NativeClient,
  type SessionView,
  type StartTurn,
  type TurnOutcome,
  type Usage,
} from "@caret/protocol";
import type { ClientFeatures } from "./client-features.ts";
import type { TurnMode } from "./config-options.ts";
import { chunk, EventUpdates } from "./event-updates.ts";
import { promptAnswer } from "./prompt-answer.ts";
import { readPrompt, readPromptWithoutImages } from "./prompt-content.ts";
import { SessionAsks } from "./session-asks.ts";
import { SessionEditor } from "./session-editor.ts";
import { slashCommandIn } from "./slash-commands.ts";

const PAGE = 500;
const PICTURES_LEFT_OUT =
  "The agent was not given the pictures: this session's lane cannot pass them on. Save a picture in the workspace and name its path";

export interface OpenSessionOptions {
  readonly caret: NativeClient;
  readonly client: AgentContext;
  readonly features: ClientFeatures;
  readonly view: SessionView;
  /** Fires when the client is gone. */
  readonly gone: AbortSignal;
  /** Does it again with the session's workspace allowed, where that is all that was missing. */
  readonly allowing: <Value>(act: () => Promise<Value>) => Promise<Value>;
  /** A turn has ended, and its events were sent: what is known of the session may have changed. */
  readonly onTurnEnd: (session: OpenSession, usage: Usage | undefined) => Promise<void>;
  readonly onError: (error: CaretError) => void;
}

interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly usage: Usage | undefined;
}

type Ending = PromiseWithResolvers<TurnEnd>;

/**
 * A session that the client has open: follows its log and sends what happens as updates, for turns of any client; puts what
 * waits for a person to the client; and starts turns with the client's prompts.
 */
export class OpenSession {
  readonly id: string;
  /** Of the turns that the client starts. */
  mode: TurnMode = "agent";
  readonly #options: OpenSessionOptions;
  readonly #asks: SessionAsks;
  readonly #editor: SessionEditor;
  readonly #stop = new AbortController();
  readonly #ownTurns = new Set<string>();
  readonly #endings = new Map<string, Ending>();
  readonly #updates: EventUpdates;
  /** Over when no prompt of the client is on its way to become a turn. */
  #starting: Promise<unknown> = Promise.resolve();
  #runningTurn: string | undefined;
  /** What the upstream has reported of turns that have not ended yet. */
  readonly #usages = new Map<string, Usage>();

  constructor(options: OpenSessionOptions) {
    const { view, features } = options;
    this.id = view.id;
    this.#options = options;
    this.#asks = new SessionAsks({ ...options, sessionId: view.id, workspace: view.workspace });
    this.#editor = new SessionEditor({
      ...options,
      sessionId: view.id,
      offer: features.editor,
      signal: AbortSignal.any([this.#stop.signal, options.gone]),
      send: (update) => this.send(update),
    });
    this.#updates = new EventUpdates({
      workspace: view.workspace,
      takesNotices: features.takesNotices,
      isOwnTurn: (turnId) => this.#ownTurns.has(turnId),
    });
  }

  /** Resolves when the gateway's tools use what the client offers them. */
  async openEditor(): Promise<void> {
    await this.#editor.open();
  }

  /** Sends the whole log as updates, then what comes. */
  async replay(): Promise<void> {
    let after = 0;
    for (;;) {
      const { events, lastSeq } = await this.#options.caret.readLog(this.id, { after, limit: PAGE });
      await this.#show(events);
      after = events.at(-1)?.seq ?? lastSeq;
      if (after >= lastSeq) return this.#follow(after);
    }
  }

  /** Sends what comes from here on. Of a turn that runs, what it waits for is asked now. */
  async resume(): Promise<void> {
    const { caret, view } = this.#options;
    const pages: (readonly EventEnvelope[])[] = [];
    let before = view.lastSeq + 1;
    const isRunning = view.status.kind === "running" || view.status.kind === "waiting";
    while (isRunning && before > 1 && !pages[0]?.some(({ event }) => event.type === "turn-start")) {
      const { events } = await caret.readLog(this.id, { before, limit: PAGE });
      pages.unshift(events);
      before = events[0]?.seq ?? 1;
    }
    for (const page of pages) {
      this.#note(page);
      this.#updates.take(page);
    }
    this.#follow(view.lastSeq);
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { caret } = this.#options;
    const { prompt } = readPrompt(blocks);
    const command = slashCommandIn(prompt);
    if (command !== undefined) {
      await this.send(chunk("agent_message_chunk", await command(caret, this.id)));
      return { stopReason: "end_turn" };
    }
    const starting = this.#start(blocks).then((turnId) => this.#expect(turnId));
    this.#starting = Promise.allSettled([this.#starting, starting]);
    const ending = await starting;
    const cancel = (): void => void this.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const { outcome, usage } = await ending.promise;
      return promptAnswer(outcome, usage);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Stops the turns of the client's prompts; without one, the turn that runs. */
  async cancel(): Promise<void> {
    this.#asks.cancel();
    await this.#starting;
    const running = this.#runningTurn === undefined ? [] : [this.#runningTurn];
    const turns = this.#endings.size > 0 ? [...this.#endings.keys()] : running;
    await Promise.all(turns.map((turnId) => this.#cancelTurn(turnId)));
  }

  /** Stops what the client has started and waits for its end; then nothing more is sent. */
  async close(): Promise<void> {
    await this.#starting;
    const endings = [...this.#endings.values()].map(({ promise }) => promise);
    if (endings.length > 0) await this.cancel();
    await Promise.allSettled(endings);
    this.#stop.abort();
  }

  async send(update: SessionUpdate): Promise<void> {
    await this.#options.client.notify(methods.client.session.update, { sessionId: this.id, update });
  }

  /** A lane that cannot pass pictures on runs the turn without them and says so in a notice: the editor cannot take them back. */
  async #start(blocks: readonly ContentBlock[]): Promise<string> {
    const { caret, allowing } = this.#options;
    const { prompt, images } = readPrompt(blocks);
    const start = async (wanted: Pick<StartTurn, "prompt" | "images">): Promise<string> =>
      (await allowing(() => caret.startTurn(this.id, { mode: this.mode, ...wanted }))).turnId;
    if (images.length === 0) return await start({ prompt });
    try {
      return await start({ prompt, images });
    } catch (reason) {
      if (CaretError.from(reason).code !== "unsupported") throw reason;
      const turnId = await start({ prompt: readPromptWithoutImages(blocks) });
      for (const update of this.#updates.warn(PICTURES_LEFT_OUT)) await this.send(update);
      return turnId;
    }
  }

  #expect(turnId: string): Ending {
    const ending = Promise.withResolvers<TurnEnd>();
    // Nobody may be waiting any more when the client leaves.
    ending.promise.catch(() => undefined);
    this.#ownTurns.add(turnId);
    this.#endings.set(turnId, ending);
    return ending;
  }

  async #cancelTurn(turnId: string): Promise<void> {
    try {
      await this.#options.caret.cancelTurn(this.id, turnId);
    } catch (reason) {
      const error = CaretError.from(reason);
      // It has ended by itself: its end is on the way.
      if (error.code === "not-found") return;
      this.#options.onError(error);
      this.#endings.get(turnId)?.reject(error);
      this.#endings.delete(turnId);
    }
  }

  #follow(after: number): void {
    const signal = AbortSignal.any([this.#stop.signal, this.#options.gone]);
    const run = async (): Promise<void> => {
      this.#asks.askOpen();
      for await (const batch of this.#options.caret.followEvents(this.id, { after, signal })) {
        // A batch that was on its way: the session may be open again by now, and sends it itself.
        if (this.#stop.signal.aborted) return;
        await this.#take(batch);
      }
    };
    void run().catch((reason: unknown) => {
      if (signal.aborted) return;
      const error = CaretError.from(reason);
      for (const ending of this.#endings.values()) ending.reject(error);
      this.#endings.clear();
      this.#options.onError(error);
    });
  }

  async #take(batch: readonly EventEnvelope[]): Promise<void> {
    // Whose turn it is, the answer to the prompt tells, which may come later than the turn's first event.
    if (batch.some(({ event }) => event.type === "turn-start")) await this.#starting;
    await this.#show(batch);
    this.#asks.askOpen();
    for (const { event, turnId } of batch) if (event.type === "turn-end") await this.#end(turnId, event.outcome);
  }

  async #show(batch: readonly EventEnvelope[]): Promise<void> {
    this.#note(batch);
    for (const update of this.#updates.take(batch)) await this.send(this.#editor.withTerminal(update));
  }

  #note(batch: readonly EventEnvelope[]): void {
    this.#asks.note(batch);
    for (const { event, turnId } of batch) {
      if (event.type === "turn-start") this.#runningTurn = turnId;
      if (event.type === "turn-end") this.#runningTurn = undefined;
      if (event.type === "usage") this.#usages.set(turnId, event.usage);
    }
  }

  async #end(turnId: string, outcome: TurnOutcome): Promise<void> {
    const usage = this.#usages.get(turnId);
    this.#usages.delete(turnId);
    await this.#options.onTurnEnd(this, usage).catch((reason: unknown) => {
      // The turn has ended either way; its client must be answered.
      this.#options.onError(CaretError.from(reason));
    });
    // A client that has the answer to its prompt may leave: its terminals are released first.
    await this.#editor.settled();
    this.#endings.get(turnId)?.resolve({ outcome, usage });
    this.#endings.delete(turnId);
  }
}
