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
  /** Runs `act`. If it fails only because the session's workspace is not allowed, allows that, if it may, and runs `act` again. */
  readonly allowing: <Value>(act: () => Promise<Value>) => Promise<Value>;
  /** Called when a turn has ended and its events were sent: the session's view may have changed. */
  readonly onTurnEnd: (session: OpenSession, usage: Usage | undefined) => Promise<void>;
  readonly onError: (error: CaretError) => void;
}

interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly usage: Usage | undefined;
}

type Ending = PromiseWithResolvers<TurnEnd>;

/**
 * A session that the client has open. Follows its log and sends updates, for turns of any client; puts questions and approvals to the
 * client; starts turns with the client's prompts.
 */
export class OpenSession {
  readonly id: string;
  /** For turns that the client starts. */
  mode: TurnMode = "agent";
  readonly #options: OpenSessionOptions;
  readonly #asks: SessionAsks;
  readonly #editor: SessionEditor;
  readonly #stop = new AbortController();
  readonly #ownTurns = new Set<string>();
  readonly #endings = new Map<string, Ending>();
  readonly #updates: EventUpdates;
  /** Settles when no prompt of the client is still about to become a turn. */
  #starting: Promise<unknown> = Promise.resolve();
  #runningTurn: string | undefined;
  /** Upstream's usage of turns that have not ended yet. */
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

  /** Sends the whole log as updates, then follows it. */
  async replay(): Promise<void> {
    let after = 0;
    for (;;) {
      const { events, lastSeq } = await this.#options.caret.readLog(this.id, { after, limit: PAGE });
      await this.#show(events);
      after = events.at(-1)?.seq ?? lastSeq;
      if (after >= lastSeq) return this.#follow(after);
    }
  }

  /** Follows the log from here. If a turn is running, asks now what it waits for. */
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

  /** Stops the turns of the client's prompts; if it has none, the running turn. */
  async cancel(): Promise<void> {
    this.#asks.cancel();
    await this.#starting;
    const running = this.#runningTurn === undefined ? [] : [this.#runningTurn];
    const turns = this.#endings.size > 0 ? [...this.#endings.keys()] : running;
    await Promise.all(turns.map((turnId) => this.#cancelTurn(turnId)));
  }

  /** Stops what the client has started and waits for its end; nothing is sent after that. */
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

  /** A lane that cannot pass on pictures runs the turn without them and says so in a notice: the editor cannot take them back. */
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
    // Nobody may be waiting when the client leaves.
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
      // It has ended already: its end is on the way.
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
        // A batch still in flight: the session may be open again by now, and will send it then.
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
    // The answer to the prompt tells whose turn it is, and may arrive after the turn's first event.
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
      // The turn has ended either way, so its client must be answered.
      this.#options.onError(CaretError.from(reason));
    });
    // A client may leave once its prompt is answered, so release its terminals first.
    await this.#editor.settled();
    this.#endings.get(turnId)?.resolve({ outcome, usage });
    this.#endings.delete(turnId);
  }
}
