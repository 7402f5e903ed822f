import {
  create,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { ConversationAction } from "@caret/protocol/agent-api/conversation";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
} from "@caret/protocol/agent-api/exec";
import {
  InteractionQuerySchema,
  type InteractionResponse,
  InteractionResponseSchema,
} from "@caret/protocol/agent-api/interactions";
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
  AgentServerMessageSchema,
  type KvClientMessage,
} from "@caret/protocol/agent-api/run";
import type { InteractionUpdateSchema } from "@caret/protocol/agent-api/updates";
import type { FrameWriter } from "./frame-writer.ts";
import { RunFailure } from "./run-failure.ts";

/** One answer to an exec, as protobuf's JSON; `thrown` when the client could not carry it out. */
export type ExecAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "thrown"; readonly error: string }
  | { readonly kind: "closed" };

export interface RunLinkOptions {
  readonly writer: FrameWriter;
  readonly incoming: AsyncIterable<AgentClientMessage>;
  /** Called with every message that the client sends. */
  readonly record: (message: JsonValue) => void;
  /** Called for what the client sends by itself while the turn runs. */
  readonly onAction: (action: ConversationAction) => void;
  readonly signal: AbortSignal;
}

type Waiting = (answer: ExecAnswer) => void;

/** Both directions of one run: updates go out, and questions find their answers by their ids. */
export class RunLink {
  readonly #options: RunLinkOptions;
  readonly #execs = new Map<number, Waiting>();
  readonly #queries = new Map<number, (response: InteractionResponse) => void>();
  readonly #blobs = new Map<number, (message: KvClientMessage) => void>();
  readonly #request = Promise.withResolvers<AgentRunRequest>();
  #lastId = 0;

  constructor(options: RunLinkOptions) {
    this.#options = options;
    // Read by `request`, which may come late; a client that says nothing is reported there.
    this.#request.promise.catch(() => undefined);
  }

  /** Reads until the client has said its last; a question that is open then is never answered. */
  async listen(): Promise<void> {
    for await (const message of this.#options.incoming) {
      this.#options.record(toJson(AgentClientMessageSchema, message));
      this.#take(message);
    }
    this.#request.reject(new RunFailure({ code: "invalid_argument", message: "The run request is missing" }));
  }

  /** The first message of the client. */
  get request(): Promise<AgentRunRequest> {
    return this.#request.promise;
  }

  send(message: MessageInitShape<typeof AgentServerMessageSchema>["message"]): void {
    const bytes = toBinary(
      AgentServerMessageSchema,
      create(AgentServerMessageSchema, message === undefined ? {} : { message }),
    );
    this.#options.writer.message(bytes);
  }

  update(message: MessageInitShape<typeof InteractionUpdateSchema>["message"]): void {
    this.send({ case: "interactionUpdate", value: message === undefined ? {} : { message } });
  }

  /** Asks the client to carry something out, given as protobuf's JSON: `{ readArgs: { path } }`. */
  async exec(args: JsonObject, onResult?: (result: JsonObject) => boolean): Promise<ExecAnswer> {
    const id = this.#nextId();
    const { promise, resolve } = this.#await(this.#execs, id);
    const isLast = onResult ?? (() => true);
    this.#execs.set(id, (answer) => {
      if (answer.kind !== "result" || isLast(answer.result)) resolve(answer);
    });
    const value = fromJson(
      ExecServerMessageSchema,
      { ...args, id, execId: `exec-${id}` },
      { ignoreUnknownFields: true },
    );
    this.send({ case: "execServerMessage", value });
    return promise;
  }

  /** Asks the client to stop everything that it was asked to carry out. */
  abortExecs(): void {
    for (const id of this.#execs.keys()) {
      this.send({ case: "execServerControlMessage", value: { message: { case: "abort", value: { id } } } });
    }
  }

  /** Asks what only a person may answer; the answer is protobuf's JSON, without its id. */
  async query(query: JsonObject): Promise<JsonObject> {
    const id = this.#nextId();
    const { promise, resolve } = this.#await(this.#queries, id);
    this.#queries.set(id, resolve);
    this.send({
      case: "interactionQuery",
      value: fromJson(InteractionQuerySchema, { ...query, id }, { ignoreUnknownFields: true }),
    });
    const { id: _id, ...answer } = toJson(InteractionResponseSchema, await promise) as JsonObject;
    return answer;
  }

  /** Asks for a blob that the client keeps; undefined when it has none under that id. */
  async getBlob(blobId: Uint8Array): Promise<Uint8Array | undefined> {
    const id = this.#nextId();
    const { promise, resolve } = this.#await(this.#blobs, id);
    this.#blobs.set(id, resolve);
    this.send({ case: "kvServerMessage", value: { id, message: { case: "getBlobArgs", value: { blobId } } } });
    const { message } = await promise;
    return message.case === "getBlobResult" ? message.value.blobData : undefined;
  }

  /** Has the client keep a blob. */
  setBlob(blobId: Uint8Array, blobData: Uint8Array): void {
    const id = this.#nextId();
    this.send({
      case: "kvServerMessage",
      value: { id, message: { case: "setBlobArgs", value: { blobId, blobData } } },
    });
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** A promise that the client's answer settles; the end of the run rejects it. */
  #await<Answer>(waiting: Map<number, (answer: Answer) => void>, id: number): PromiseWithResolvers<Answer> {
    const { signal } = this.#options;
    const settled = Promise.withResolvers<Answer>();
    const abort = () => settled.reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const forget = () => {
      waiting.delete(id);
      signal.removeEventListener("abort", abort);
    };
    settled.promise.then(forget, forget);
    return settled;
  }

  #take({ message }: AgentClientMessage): void {
    switch (message.case) {
      case "runRequest":
        this.#request.resolve(message.value);
        break;
      case "execClientMessage":
        this.#execs.get(message.value.id)?.({ kind: "result", result: toResult(message.value) });
        break;
      case "execClientControlMessage": {
        const control = message.value.message;
        if (control.case === "throw")
          this.#execs.get(control.value.id)?.({ kind: "thrown", error: control.value.error });
        if (control.case === "streamClose") this.#execs.get(control.value.id)?.({ kind: "closed" });
        break;
      }
      case "kvClientMessage":
        this.#blobs.get(message.value.id)?.(message.value);
        break;
      case "interactionResponse":
        this.#queries.get(message.value.id)?.(message.value);
        break;
      case "conversationAction":
        this.#options.onAction(message.value);
        break;
      case "clientHeartbeat":
      case "prewarmRequest":
      case undefined:
        break;
    }
  }
}

/** The arm of an answer, without its ids. */
function toResult(message: ExecClientMessage): JsonObject {
  const {
    id: _id,
    execId: _execId,
    localExecutionTimeMs: _time,
    ...arm
  } = toJson(ExecClientMessageSchema, message) as JsonObject;
  return arm;
}
