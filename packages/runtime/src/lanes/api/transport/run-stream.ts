import { create, toBinary } from "@bufbuild/protobuf";
import { CaretError, trimEndOf } from "@caret/protocol";
import { BidiAppendRequestSchema, BidiRequestIdSchema, BidiService } from "@caret/protocol/agent-api/bidi";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";
import type { UniversalClientResponse } from "@connectrpc/connect/protocol";
import { dropped } from "../../../credentials/upstream-failure.ts";
import { createStartQueue } from "../../bridge/start-queue.ts";
import { toEnvelope } from "./envelope-reader.ts";
import { readMessages, type StreamRead } from "./message-stream.ts";
import { createOutgoing } from "./outgoing.ts";
import { createUnaryClient } from "./unary-client.ts";
import type { UpstreamLink } from "./upstream-link.ts";

/** One run's exchange of messages. */
export interface RunStream {
  /** One batch per read; never rejects. */
  readonly reads: AsyncGenerator<StreamRead, void, undefined>;
  send(message: AgentClientMessage): void;
  /** Ends our side. */
  end(): void;
  /** How long the oldest message has waited to be written. */
  waitedMs(): number;
}

export interface RunStreamOptions {
  readonly link: UpstreamLink;
  readonly headers: Headers;
  readonly requestId: string;
  /** Ends the exchange: resets the request but keeps its connection. */
  readonly signal: AbortSignal;
  readonly maxMessageBytes: number;
  readonly now: () => number;
}

/** Both directions in one HTTP/2 stream; over HTTP/1.1, one response to read and a request per message sent. */
export function openRunStream(options: RunStreamOptions): RunStream {
  return options.link.version === "2" ? openDuplex(options) : openHalves(options);
}

function openDuplex({ link, headers, signal, maxMessageBytes, now }: RunStreamOptions): RunStream {
  const outgoing = createOutgoing(now);
  return {
    reads: readMessages(() => post(link, "agent.v1.AgentService/Run", headers, outgoing, signal), maxMessageBytes),
    send: (message) => outgoing.send(toEnvelope(toBinary(AgentClientMessageSchema, message))),
    end: () => outgoing.close(),
    waitedMs: () => outgoing.waitedMs(),
  };
}

const MAX_APPENDS = 16;
const APPEND_MS = 60_000;
/** The slowest accepted rate of an append. */
const SLOWEST_BYTES_PER_SECOND = 131_072;

function openHalves({ link, headers, requestId, signal, maxMessageBytes, now }: RunStreamOptions): RunStream {
  const id = create(BidiRequestIdSchema, { requestId });
  const body = createOutgoing(now);
  const broken = new AbortController();
  const ended = AbortSignal.any([signal, broken.signal]);
  const appends = createUnaryClient(link, BidiService);
  const places = createStartQueue(MAX_APPENDS);
  const sentAt = new Map<bigint, number>();
  let count = 0n;
  headers.set("x-cursor-streaming", "true");
  body.send(toEnvelope(toBinary(BidiRequestIdSchema, id)));
  body.close();

  const append = async (seqno: bigint, message: Uint8Array): Promise<void> => {
    const leave = await places.enter(ended);
    try {
      const data = Buffer.from(message).toString("hex");
      const request = create(BidiAppendRequestSchema, { data, requestId: id, appendSeqno: seqno });
      const timeoutMs = APPEND_MS + Math.ceil((1000 * data.length) / SLOWEST_BYTES_PER_SECOND);
      await appends.bidiAppend(request, { headers: new Headers(headers), timeoutMs, signal: ended });
    } finally {
      sentAt.delete(seqno);
      leave();
    }
  };

  const answer = readMessages(() => post(link, "agent.v1.AgentService/RunSSE", headers, body, ended), maxMessageBytes);
  return {
    reads: failingWith(answer, broken.signal),
    send(message) {
      const seqno = count;
      count += 1n;
      sentAt.set(seqno, now());
      append(seqno, toBinary(AgentClientMessageSchema, message)).catch((reason: unknown) =>
        broken.abort(dropped(reason)),
      );
    },
    end: () => undefined,
    waitedMs: () => (sentAt.size === 0 ? 0 : now() - Math.min(...sentAt.values())),
  };
}

/** A message that could not be sent fails the run, whatever its response looks like. */
async function* failingWith(reads: AsyncGenerator<StreamRead>, broken: AbortSignal): AsyncGenerator<StreamRead> {
  for await (const read of reads) {
    const isOver = read.end !== undefined && read.end.kind === "dropped" && broken.aborted;
    yield isOver ? { ...read, end: { kind: "dropped", error: CaretError.from(broken.reason) } } : read;
  }
}

async function post(
  { url, request }: UpstreamLink,
  method: string,
  headers: Headers,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<UniversalClientResponse> {
  const header = new Headers(headers);
  header.set("content-type", "application/connect+proto");
  header.set("connect-protocol-version", "1");
  header.set("connect-accept-encoding", "gzip,br");
  return await request({ url: `${trimEndOf(url.href, "/")}/${method}`, method: "POST", header, body, signal });
}
