import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
  AgentServerMessageSchema,
} from "@caret/protocol/agent-api/run";
import type { InteractionUpdateSchema } from "@caret/protocol/agent-api/updates";
import { createEnvelopeReader, toEnvelope } from "../transport/envelope-reader.ts";

export type ServerMessageInit = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>["message"]>;
export type UpdateInit = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>["message"]>;

/** One run as the server sees it. */
export interface ScriptedRun {
  readonly request: AgentRunRequest;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  send(message: ServerMessageInit): void;
  update(...updates: readonly UpdateInit[]): void;
  /** The client's next message, without heartbeats. Undefined if the client has closed its side. */
  next(): Promise<AgentClientMessage["message"] | undefined>;
  /** The end frame. */
  end(error?: object): void;
  /** Resolves when the client has reset the stream or both sides have closed. */
  readonly closed: Promise<void>;
}

export interface ScriptedUpstream {
  readonly url: URL;
  readonly runs: readonly ScriptedRun[];
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  /** Number of connections made so far. */
  connections(): number;
  close(): Promise<void>;
}

type Script = (run: ScriptedRun, index: number) => unknown;

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ScriptedUpstreamOptions {
  /** Called for each request of a run before it is read: returns its refusal. */
  readonly refuse?: (headers: IncomingHttpHeaders, index: number) => Refusal | undefined;
  readonly settings?: Settings;
  /** Requests are neither read nor answered. */
  readonly isDeaf?: boolean;
}

/** An upstream over cleartext HTTP/2 whose runs are played by a test. Any other request is 404. */
export async function startScriptedUpstream(
  script: Script,
  { refuse = () => undefined, settings = {}, isDeaf = false }: ScriptedUpstreamOptions = {},
): Promise<ScriptedUpstream> {
  const server: Http2Server = createServer({ settings });
  let requests = 0;
  const sessions = new Set<ServerHttp2Session>();
  const runs: ScriptedRun[] = [];
  let connections = 0;
  server.on("session", (session) => {
    connections += 1;
    sessions.add(session);
    session.on("error", () => undefined); // a test may break the connection on purpose
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined); // the client may reset it
    if (headers[":path"] !== "/agent.v1.AgentService/Run")
      return void stream.respond({ ":status": 404 }, { endStream: true });
    if (isDeaf) return;
    const refusal = refuse(headers, requests);
    requests += 1;
    if (refusal !== undefined) {
      stream.respond({ ":status": refusal.status, ...refusal.headers });
      return void stream.end(refusal.body ?? "");
    }
    void play(stream, headers, async (run) => {
      runs.push(run);
      await script(run, runs.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    runs,
    sessions,
    connections: () => connections,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function play(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  begin: (run: ScriptedRun) => Promise<void>,
): Promise<void> {
  const messages = readClient(stream);
  const first = await nextOf(messages);
  if (first?.case !== "runRequest") return stream.close();
  stream.respond({ ":status": 200, "content-type": "application/connect+proto" });
  const closed = new Promise<void>((resolve) => void stream.once("close", resolve));
  const send = (message: ServerMessageInit): void =>
    void stream.write(toEnvelope(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message }))));
  await begin({
    request: first.value,
    headers,
    stream,
    send,
    update(...updates) {
      for (const message of updates) send({ case: "interactionUpdate", value: { message } });
    },
    next: () => nextOf(messages),
    end(error) {
      const frame = toEnvelope(Buffer.from(JSON.stringify(error === undefined ? {} : { error })));
      frame[0] = 2;
      stream.end(frame);
    },
    closed,
  });
}

async function nextOf(
  messages: AsyncGenerator<AgentClientMessage>,
): Promise<AgentClientMessage["message"] | undefined> {
  for (;;) {
    const { done, value } = await messages.next();
    if (done === true) return undefined;
    if (value.message.case !== "clientHeartbeat") return value.message;
  }
}

async function* readClient(stream: ServerHttp2Stream): AsyncGenerator<AgentClientMessage> {
  const reader = createEnvelopeReader({ maxBytes: 64 * 1024 * 1024, encoding: undefined });
  for await (const chunk of stream)
    for (const bytes of reader.push(chunk).messages) yield fromBinary(AgentClientMessageSchema, bytes);
}

/** A turn that says one word. */
export function saysHello(run: ScriptedRun): void {
  run.update({ case: "textDelta", value: { text: "Hello." } });
  run.update({ case: "turnEnded", value: { inputTokens: 7n, outputTokens: 2n } });
  run.end();
}
