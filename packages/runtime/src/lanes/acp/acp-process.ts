import { type AgentCommandView, CaretError, type JsonObject } from "@caret/protocol";
import { within } from "../../async/within.ts";
import { objectField, textField } from "../../decode/read-fields.ts";
import type { ChildExit, ChildHandle } from "../../process/child-handle.ts";
import { announcedIn } from "./announced-commands.ts";
import { type AgentMessage, openRpcConnection, type RpcConnection } from "./rpc-connection.ts";
import { refuseUnheard } from "./unheard-requests.ts";

/** The turn of one session, as far as its process is concerned. */
export interface SessionListener {
  /** Something of the session's that is no request. */
  hear(message: AgentMessage): void;
  /** Answers a request; rejects with what the agent is refused with. */
  answer(message: AgentMessage): Promise<unknown>;
  /** Whether the turn has a call of this id. */
  knowsCall(callId: string): boolean;
  /** What was heard belongs to one read. A promise stops the process from being read until it is settled. */
  flush(): Promise<void> | undefined;
  /** The process is gone, or lost. */
  lost(error: CaretError): void;
}

/** What the process keeps of a session. */
export interface OpenedSession {
  readonly id: string;
  /** What it said when it was made or loaded: modes, models, options. */
  readonly described: JsonObject;
  mode: string | undefined;
  model: string | undefined;
}

export interface AcpProcessOptions {
  readonly child: ChildHandle;
  readonly maxLineBytes: number;
  readonly graceMs: number;
  /** Why it ended, in a word of the catalogue. */
  readonly judgeExit: (exit: ChildExit, child: ChildHandle) => CaretError;
  /** The agent has announced its `/` commands, for which no turn has to run. */
  readonly onCommands: (commands: readonly AgentCommandView[]) => void;
}

/** A process of `agent acp`, with any number of sessions. It is gone for all of them at once. */
export class AcpProcess {
  readonly #options: AcpProcessOptions;
  readonly #rpc: RpcConnection;
  /** By session; one that is not in it is not heard: a replay, a subagent, or a turn that is over. */
  readonly #listeners = new Map<string, SessionListener>();
  readonly #sessions = new Map<string, OpenedSession>();
  /** What was heard in the read that is being handed out. */
  readonly #touched = new Set<SessionListener>();
  /** One session at a time chooses a model and sends its prompt: the choice is the whole process's. */
  #choosing: Promise<unknown> = Promise.resolve();
  #gone: CaretError | undefined;
  #isRetired = false;
  #killedFor: CaretError | undefined;
  /** The model that was chosen last, by whichever session. */
  model: string | undefined;

  constructor(options: AcpProcessOptions) {
    const { child, maxLineBytes } = options;
    this.#options = options;
    this.#rpc = openRpcConnection({
      child,
      maxLineBytes,
      onRequest: (message) => this.#answer(message),
      onNotification: (message) => this.#hear(message),
      onRead: () => this.#flush(),
      onEnd: (reason) => void this.#end(reason),
    });
  }

  /** Whether another turn may be given to it. */
  get isUsable(): boolean {
    return this.#gone === undefined && !this.#isRetired;
  }

  get isBusy(): boolean {
    return this.#listeners.size > 0;
  }

  session(id: string): OpenedSession | undefined {
    return this.#sessions.get(id);
  }

  keep(session: OpenedSession): void {
    this.#sessions.set(session.id, session);
  }

  /** Rejects with an `RpcRefusal`, or with what the process ended of. */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#rpc.request(method, params);
  }

  notify(method: string, params: JsonObject): void {
    this.#rpc.notify(method, params);
  }

  /** The same, given up after a while: an agent has been seen to answer nothing. */
  async requestWithin(method: string, params: JsonObject, ms: number): Promise<JsonObject> {
    const answer = this.request(method, params);
    answer.catch(() => undefined); // handled below, unless it comes too late
    if (await within(answer.then(noValue, noValue), ms)) return await answer;
    throw new CaretError("stalled", `The agent did not answer ${method} within ${ms} ms`);
  }

  async chooseAlone<Value>(choose: () => Promise<Value>): Promise<Value> {
    const chosen = this.#choosing.then(choose);
    this.#choosing = chosen.catch(() => undefined); // the turn that waits for it rejects; the next one may choose
    return await chosen;
  }

  /** From here on what comes of the session is the listener's. */
  listen(sessionId: string, listener: SessionListener): () => void {
    if (this.#gone !== undefined) listener.lost(this.#gone);
    this.#listeners.set(sessionId, listener);
    return () => void this.#listeners.delete(sessionId);
  }

  /** No other turn is given to it; those that run go on. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Ends it at once, and with it every turn that it works at: they have failed of this. */
  async kill(why: CaretError): Promise<void> {
    this.#isRetired = true;
    this.#killedFor ??= why;
    await this.#options.child.stop({ reason: why.message, graceMs: 0 });
  }

  async stop(reason: string): Promise<void> {
    this.#isRetired = true;
    // The end of its input does not end it, so it is not waited for.
    await this.#options.child.stop({ reason, graceMs: this.#options.graceMs });
  }

  #hear(message: AgentMessage): void {
    const commands = announcedIn(message.params);
    if (commands !== undefined) this.#options.onCommands(commands);
    const listener = this.#listenerOf(message.params);
    if (listener === undefined) return;
    this.#touched.add(listener);
    listener.hear(message);
  }

  async #answer(message: AgentMessage): Promise<unknown> {
    const listener = this.#listenerOf(message.params);
    if (listener === undefined) return refuseUnheard(message.method);
    this.#touched.add(listener);
    return await listener.answer(message);
  }

  /** Requests of Cursor's own name a call at best: then the turn that has it is meant, or the only one that runs. */
  #listenerOf(params: JsonObject): SessionListener | undefined {
    const sessionId = textField(params, "sessionId");
    if (sessionId !== undefined) return this.#listeners.get(sessionId);
    const callId = textField(params, "toolCallId") ?? textField(objectField(params, "toolCall"), "toolCallId");
    const running = [...this.#listeners.values()];
    const having = running.find((listener) => callId !== undefined && listener.knowsCall(callId));
    return having ?? (running.length === 1 ? running[0] : undefined);
  }

  #flush(): Promise<void> | undefined {
    const slow = [...this.#touched].flatMap((listener) => listener.flush() ?? []);
    this.#touched.clear();
    return slow.length === 0 ? undefined : Promise.all(slow).then(noValue);
  }

  async #end(reason: unknown): Promise<void> {
    const { child, graceMs, judgeExit } = this.#options;
    // Its output is over, so it leaves, or is of no use to anybody.
    const exit = await child.stop({ reason: "its output ended", graceMs });
    const error = this.#killedFor ?? (CaretError.is(reason) ? reason : judgeExit(exit, child));
    this.#gone = error;
    this.#rpc.end(error);
    for (const listener of [...this.#listeners.values()]) listener.lost(error);
  }
}

function noValue(): void {
  // Only when, not what.
}
