import { type AgentCommandView, CaretError, type JsonObject } from "@caret/protocol";
import { within } from "../../async/within.ts";
import { objectField, textField } from "../../decode/read-fields.ts";
import type { ChildExit, ChildHandle } from "../../process/child-handle.ts";
import { announcedIn } from "./announced-commands.ts";
import { type AgentMessage, openRpcConnection, type RpcConnection } from "./rpc-connection.ts";
import { refuseUnheard } from "./unheard-requests.ts";

/** A session's turn, as seen by its process. */
export interface SessionListener {
  /** A message of the session that is not a request. */
  hear(message: AgentMessage): void;
  /** Answers a request; a rejection is sent to the agent as a refusal. */
  answer(message: AgentMessage): Promise<unknown>;
  /** Whether the turn has a call with this id. */
  knowsCall(callId: string): boolean;
  /** Marks the end of one read. A promise pauses reading of the process until it settles. */
  flush(): Promise<void> | undefined;
  /** The process is gone or lost. */
  lost(error: CaretError): void;
}

/** A session as the process knows it. */
export interface OpenedSession {
  readonly id: string;
  /** What it reported when it was created or loaded: modes, models, options. */
  readonly described: JsonObject;
  mode: string | undefined;
  model: string | undefined;
}

export interface AcpProcessOptions {
  readonly child: ChildHandle;
  readonly maxLineBytes: number;
  readonly graceMs: number;
  /** Maps the exit to an error of the catalogue. */
  readonly judgeExit: (exit: ChildExit, child: ChildHandle) => CaretError;
  /** The agent announced its `/` commands; this needs no running turn. */
  readonly onCommands: (commands: readonly AgentCommandView[]) => void;
}

/** A process of `agent acp` with any number of sessions. If it ends, it is gone for all of them at once. */
export class AcpProcess {
  readonly #options: AcpProcessOptions;
  readonly #rpc: RpcConnection;
  /** By session. Messages of sessions not listed are ignored: a replay, a subagent, or a turn that is over. */
  readonly #listeners = new Map<string, SessionListener>();
  readonly #sessions = new Map<string, OpenedSession>();
  /** Listeners that heard something in the current read. */
  readonly #touched = new Set<SessionListener>();
  /** Only one session at a time chooses a model and sends its prompt: the choice applies to the whole process. */
  #choosing: Promise<unknown> = Promise.resolve();
  #gone: CaretError | undefined;
  #isRetired = false;
  #killedFor: CaretError | undefined;
  /** The model chosen last, by any session. */
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

  /** Whether it can take another turn. */
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

  /** Rejects with an `RpcRefusal`, or with the reason why the process ended. */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#rpc.request(method, params);
  }

  notify(method: string, params: JsonObject): void {
    this.#rpc.notify(method, params);
  }

  /** The same with a time limit: an agent has been seen not to answer at all. */
  async requestWithin(method: string, params: JsonObject, ms: number): Promise<JsonObject> {
    const answer = this.request(method, params);
    answer.catch(() => undefined); // handled below, unless it comes too late
    if (await within(answer.then(noValue, noValue), ms)) return await answer;
    throw new CaretError("stalled", `The agent did not answer ${method} within ${ms} ms`);
  }

  async chooseAlone<Value>(choose: () => Promise<Value>): Promise<Value> {
    const chosen = this.#choosing.then(choose);
    this.#choosing = chosen.catch(() => undefined); // the turn that awaits it gets the rejection; the next one may choose
    return await chosen;
  }

  /** Routes the session's messages to this listener from now on. */
  listen(sessionId: string, listener: SessionListener): () => void {
    if (this.#gone !== undefined) listener.lost(this.#gone);
    this.#listeners.set(sessionId, listener);
    return () => void this.#listeners.delete(sessionId);
  }

  /** Takes no further turns; running ones continue. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Ends it at once, and with it all its turns, which fail with `why`. */
  async kill(why: CaretError): Promise<void> {
    this.#isRetired = true;
    this.#killedFor ??= why;
    await this.#options.child.stop({ reason: why.message, graceMs: 0 });
  }

  async stop(reason: string): Promise<void> {
    this.#isRetired = true;
    // Closing its input does not end it, so do not wait for that.
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

  /** Cursor's own requests name at most a call: they belong to the turn that has it, or else to the only one running. */
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
    // Its output has ended, so it is leaving or useless.
    const exit = await child.stop({ reason: "its output ended", graceMs });
    const error = this.#killedFor ?? (CaretError.is(reason) ? reason : judgeExit(exit, child));
    this.#gone = error;
    this.#rpc.end(error);
    for (const listener of [...this.#listeners.values()]) listener.lost(error);
  }
}

function noValue(): void {
  // Only the timing matters, not the value.
}
