import { create, type JsonObject, type MessageInitShape, toBinary, toJson } from "@bufbuild/protobuf";
import { BidiService } from "@caret/protocol/agent-api/bidi";
import type { ConversationStateStructure } from "@caret/protocol/agent-api/conversation";
import type { ExecClientMessageSchema, ExecServerMessage } from "@caret/protocol/agent-api/exec";
import {
  AgentClientMessageSchema,
  type AgentRunRequestSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
  AgentService,
} from "@caret/protocol/agent-api/run";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createWritableIterable } from "@connectrpc/connect/protocol";
import { createConnectTransport } from "@connectrpc/connect-node";

type ExecAnswerInit = MessageInitShape<typeof ExecClientMessageSchema>["message"];
type ClientMessageInit = MessageInitShape<typeof AgentClientMessageSchema>["message"];

export interface RunClientOptions {
  readonly url: string;
  /** `1.1` opens the run by RunSSE and appends to it. */
  readonly httpVersion: "1.1" | "2";
  /** Trusted besides the system's authorities. */
  readonly ca?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the client answers to an exec; without an answer it refuses by a throw. */
  readonly onExec?: (exec: ExecServerMessage) => ExecAnswerInit;
  /** Called with each message, and a way to say something back. */
  readonly onMessage?: (message: AgentServerMessage, say: (message: ClientMessageInit) => Promise<void>) => void;
  /** `false`: the client never closes an exec, as if it were still at work. */
  readonly closesExecs?: boolean;
  /** The client appends in pairs, the second of a pair first. */
  readonly swapsAppends?: boolean;
}

/** What a client saw of one run. */
export interface SeenRun {
  readonly messages: readonly AgentServerMessage[];
  /** The kinds of the messages, heartbeats aside: `text_delta` as `textDelta`, an exec by its arguments. */
  readonly kinds: readonly string[];
  readonly text: string;
  readonly checkpoint: ConversationStateStructure | undefined;
  readonly error: ConnectError | undefined;
}

/** A client of the upstream that keeps blobs, as a real one does, from run to run. */
export class RunClient {
  readonly blobs = new Map<string, Uint8Array>();
  readonly #options: RunClientOptions;
  readonly transport: Transport;
  #runs = 0;

  constructor(options: RunClientOptions) {
    this.#options = options;
    const { ca, url: baseUrl, httpVersion } = options;
    this.transport = createConnectTransport({
      baseUrl,
      httpVersion,
      ...(ca === undefined ? {} : { nodeOptions: { ca } }),
    });
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.token ?? "simulated"}`, ...this.#options.headers };
  }

  /** Sends a request and answers everything until the run has ended. */
  async run(request: MessageInitShape<typeof AgentRunRequestSchema>): Promise<SeenRun> {
    this.#runs += 1;
    const requestId = `request-${this.#runs}`;
    const messages: AgentServerMessage[] = [];
    const { stream, say, end } = this.#open(requestId);
    const reading = this.#read(stream, messages, say);
    // A request that cannot be sent is reported by the reader.
    await say({ case: "runRequest", value: request }).catch(() => undefined);
    const error = await reading;
    end();
    return see(messages, error);
  }

  /** Reads and answers until the stream ends, and gives the error that it ended with. */
  async #read(
    stream: AsyncIterable<AgentServerMessage>,
    messages: AgentServerMessage[],
    say: (message: ClientMessageInit) => Promise<void>,
  ): Promise<ConnectError | undefined> {
    try {
      for await (const message of stream) {
        messages.push(message);
        this.#options.onMessage?.(message, say);
        await this.#answer(message, say);
      }
      return undefined;
    } catch (error) {
      return ConnectError.from(error);
    }
  }

  #open(requestId: string) {
    const headers = { ...this.headers, "x-request-id": requestId };
    const client = createClient(AgentService, this.transport);
    if (this.#options.httpVersion === "2") {
      const input = createWritableIterable<MessageInitShape<typeof AgentClientMessageSchema>>();
      // Not waited for: a stream that was reset takes nothing any more, and its reader reports why.
      const say = async (message: ClientMessageInit) => void input.write(toInit(message)).catch(() => undefined);
      return { stream: client.run(input, { headers }), say, end: () => input.close() };
    }
    const stream = client.runSSE({ requestId }, { headers });
    return { stream, say: this.#appender(requestId, headers), end: () => undefined };
  }

  #appender(requestId: string, headers: Record<string, string>): (message: ClientMessageInit) => Promise<void> {
    const client = createClient(BidiService, this.transport);
    let seqno = 0n;
    let held: (() => Promise<unknown>) | undefined;
    return async (message) => {
      const bytes = toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, toInit(message)));
      const appendSeqno = seqno++;
      const append = () =>
        client.bidiAppend(
          { requestId: { requestId }, appendSeqno, data: Buffer.from(bytes).toString("hex") },
          { headers },
        );
      if (this.#options.swapsAppends === true && appendSeqno > 0n && held === undefined) {
        held = append;
        return;
      }
      await append();
      await held?.();
      held = undefined;
    };
  }

  async #answer({ message }: AgentServerMessage, say: (message: ClientMessageInit) => Promise<void>): Promise<void> {
    if (message.case === "kvServerMessage") await say({ case: "kvClientMessage", value: this.#keep(message.value) });
    if (message.case !== "execServerMessage") return;
    const { id } = message.value;
    const answer =
      message.value.message.case === "requestContextArgs" ? context : this.#options.onExec?.(message.value);
    if (answer !== undefined) await say({ case: "execClientMessage", value: { id, message: answer } });
    else await say(control({ case: "throw", value: { id, error: "Not here" } }));
    if (this.#options.closesExecs !== false) await say(control({ case: "streamClose", value: { id } }));
  }

  #keep({
    id,
    message,
  }: KvQuestion): MessageInitShape<typeof import("@caret/protocol/agent-api/run").KvClientMessageSchema> {
    const key = Buffer.from(message.value?.blobId ?? []).toString("hex");
    if (message.case === "setBlobArgs") {
      this.blobs.set(key, message.value.blobData);
      return { id, message: { case: "setBlobResult", value: {} } };
    }
    const blobData = this.blobs.get(key);
    return { id, message: { case: "getBlobResult", value: blobData === undefined ? {} : { blobData } } };
  }
}

type KvQuestion = Extract<AgentServerMessage["message"], { case: "kvServerMessage" }>["value"];

/** A request with a prompt, and with what an earlier run left. */
export function ask(
  text: string,
  checkpoint?: ConversationStateStructure,
): MessageInitShape<typeof AgentRunRequestSchema> {
  return {
    conversationId: "conversation",
    ...(checkpoint === undefined ? {} : { conversationState: checkpoint }),
    action: { action: { case: "userMessageAction", value: { userMessage: { text } } } },
  };
}

/** A request to go on from a checkpoint. */
export function resume(checkpoint?: ConversationStateStructure): MessageInitShape<typeof AgentRunRequestSchema> {
  return {
    conversationId: "conversation",
    ...(checkpoint === undefined ? {} : { conversationState: checkpoint }),
    action: { action: { case: "resumeAction", value: {} } },
  };
}

const context: ExecAnswerInit = {
  case: "requestContextResult",
  value: { result: { case: "success", value: { requestContext: { env: { workspacePaths: ["/work"] } } } } },
};

function control(
  message: MessageInitShape<typeof import("@caret/protocol/agent-api/exec").ExecClientControlMessageSchema>["message"],
): ClientMessageInit {
  return { case: "execClientControlMessage", value: message === undefined ? {} : { message } };
}

function toInit(message: ClientMessageInit): MessageInitShape<typeof AgentClientMessageSchema> {
  return message === undefined ? {} : { message };
}

function see(messages: readonly AgentServerMessage[], error: ConnectError | undefined): SeenRun {
  const kinds = messages.map(kindOf).filter((kind) => kind !== "heartbeat");
  const updates = messages.flatMap(({ message }) =>
    message.case === "interactionUpdate" ? [message.value.message] : [],
  );
  const text = updates.map((update) => (update.case === "textDelta" ? update.value.text : "")).join("");
  const checkpoints = messages.flatMap(({ message }) =>
    message.case === "conversationCheckpointUpdate" ? [message.value] : [],
  );
  return { messages, kinds, text, checkpoint: checkpoints.at(-1), error };
}

function kindOf({ message }: AgentServerMessage): string {
  switch (message.case) {
    case "interactionUpdate":
    case "execServerMessage":
    case "kvServerMessage":
      return message.value.message.case ?? "unknown";
    case "interactionQuery":
      return message.value.query.case ?? "unknown";
    default:
      return message.case ?? "unknown";
  }
}

/** A message as protobuf's JSON, to compare it whole. */
export function asJson(message: AgentServerMessage): JsonObject {
  return toJson(AgentServerMessageSchema, message) as JsonObject;
}
