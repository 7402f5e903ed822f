import {
  type AgentContext,
  methods,
  RequestError,
  type SessionUpdate,
  type ToolCallContent,
} from "@agentclientprotocol/sdk";
import {
  CaretError,
  type EditorAnswer,
  type EditorOffer,
  type EditorRequest,
  type NativeClient,
} from "@caret/protocol";

type RunRequest = Extract<EditorRequest, { readonly kind: "run" }>;

/** How long a client may take to end and release the terminals of a finished turn. */
const RELEASE_MS = 2_000;

/** ACP's code for a missing file. */
const RESOURCE_NOT_FOUND = -32_002;

export interface SessionEditorOptions {
  readonly caret: Pick<NativeClient, "followEditor" | "answerEditor">;
  readonly client: Pick<AgentContext, "request" | "createTerminal">;
  readonly sessionId: string;
  readonly offer: EditorOffer;
  /** Fires when the session is closed or the client is gone. */
  readonly signal: AbortSignal;
  readonly send: (update: SessionUpdate) => Promise<void>;
  readonly onError: (error: CaretError) => void;
}

/** Offers the client's file system and terminals to the tools that the gateway runs in one session. */
export class SessionEditor {
  readonly #options: SessionEditorOptions;
  /** Requests the client is working on. */
  readonly #serving = new Set<Promise<void>>();
  /** By request: aborts its command in a terminal. */
  readonly #running = new Map<string, AbortController>();
  /** By the call whose command runs in it. */
  readonly #terminals = new Map<string, string>();
  /** Calls shown to the client: the client's id by the id in the log. */
  readonly #shown = new Map<string, string>();

  constructor(options: SessionEditorOptions) {
    this.#options = options;
  }

  /** Resolves when the gateway's tools use the editor; at once if the client offers nothing. */
  async open(): Promise<void> {
    const { offer } = this.#options;
    if (!offer.reads && !offer.writes && !offer.terminals) return;
    const ready = Promise.withResolvers<void>();
    void this.#follow(ready.resolve).catch((reason: unknown) => {
      // The session works without it: tools then use the disk and the gateway's own processes.
      ready.resolve();
      if (!this.#options.signal.aborted) this.#options.onError(CaretError.from(reason));
    });
    await ready.promise;
  }

  /** Ends a turn. Resolves when the client has done what it was asked, or takes too long. */
  async settled(): Promise<void> {
    this.#shown.clear();
    this.#terminals.clear();
    if (this.#serving.size === 0) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, RELEASE_MS);
    await Promise.race([Promise.allSettled(this.#serving), late.promise]);
    clearTimeout(timer);
  }

  /** Adds the terminal to the update of a call whose command runs in one. */
  withTerminal(update: SessionUpdate): SessionUpdate {
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return update;
    const callId = callIdOf(update.toolCallId);
    if (update.sessionUpdate === "tool_call") this.#shown.set(callId, update.toolCallId);
    const terminalId = this.#terminals.get(callId);
    if (terminalId === undefined || (update.sessionUpdate === "tool_call_update" && update.content == null))
      return update;
    // The terminal already shows the output; as text it would appear twice.
    const others = (update.content ?? []).filter(({ type }) => type !== "content");
    return { ...update, content: [terminalContent(terminalId), ...others] };
  }

  async #follow(onReady: () => void): Promise<void> {
    const { caret, sessionId, offer, signal } = this.#options;
    for await (const batch of caret.followEditor(sessionId, offer, { signal }))
      for (const request of batch) {
        if (request.kind === "ready") onReady();
        else if (request.kind === "withdraw") this.#running.get(request.requestId)?.abort();
        else this.#start(request);
      }
  }

  #start(request: EditorRequest): void {
    const served = this.#serve(request).finally(() => this.#serving.delete(served));
    this.#serving.add(served);
  }

  async #serve(request: EditorRequest): Promise<void> {
    const { caret, sessionId, signal, onError } = this.#options;
    const answer = await this.#fulfil(request).catch(failureOf);
    if (signal.aborted) return;
    await caret.answerEditor(sessionId, request.requestId, answer).catch((reason: unknown) => {
      const error = CaretError.from(reason);
      // The tool stopped waiting, or the gateway restarted.
      if (error.code !== "not-found") onError(error);
    });
  }

  async #fulfil(request: EditorRequest): Promise<EditorAnswer> {
    const { client, sessionId } = this.#options;
    switch (request.kind) {
      case "read": {
        const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path: request.path });
        return { text: content };
      }
      case "write":
        await client.request(methods.client.fs.writeTextFile, {
          sessionId,
          path: request.path,
          content: request.text,
        });
        return {};
      case "run":
        return await this.#run(request);
    }
  }

  async #run(request: RunRequest): Promise<EditorAnswer> {
    const withdrawn = new AbortController();
    this.#running.set(request.requestId, withdrawn);
    try {
      return await this.#runInTerminal(request, withdrawn.signal);
    } finally {
      this.#running.delete(request.requestId);
    }
  }

  async #runInTerminal(request: RunRequest, withdrawn: AbortSignal): Promise<EditorAnswer> {
    const { callId, command, args, cwd, outputBytes } = request;
    const { client, sessionId } = this.#options;
    const wanted = { sessionId, command, args: [...args], cwd, outputByteLimit: outputBytes };
    const terminal = await client.createTerminal(wanted);
    try {
      const kill = (): void => void terminal.kill().catch(() => undefined); // it has ended by itself
      withdrawn.addEventListener("abort", kill, { once: true });
      if (withdrawn.aborted) kill();
      await this.#show(callId, terminal.id);
      const ended = await terminal.waitForExit();
      const { output, truncated } = await terminal.currentOutput();
      return {
        text: output,
        cut: truncated,
        ...(ended.exitCode == null ? {} : { exitCode: ended.exitCode }),
        ...(ended.signal == null ? {} : { signal: ended.signal }),
      };
    } finally {
      await terminal.release().catch(() => undefined); // a client that cannot release it has nothing to release
    }
  }

  async #show(callId: string, terminalId: string): Promise<void> {
    this.#terminals.set(callId, terminalId);
    const toolCallId = this.#shown.get(callId);
    // A call not shown yet will be shown with its terminal.
    if (toolCallId === undefined) return;
    await this.#options.send({
      sessionUpdate: "tool_call_update",
      toolCallId,
      content: [terminalContent(terminalId)],
    });
  }
}

/** The log's id of a call, taken from the client's. */
function callIdOf(toolCallId: string): string {
  return toolCallId.slice(toolCallId.indexOf("/") + 1);
}

function terminalContent(terminalId: string): ToolCallContent {
  return { type: "terminal", terminalId };
}

function failureOf(reason: unknown): EditorAnswer {
  if (!(reason instanceof RequestError)) return { failed: CaretError.from(reason).message };
  const failed = `${reason.message} (${reason.code})`;
  return reason.code === RESOURCE_NOT_FOUND ? { failed, missing: true } : { failed };
}
