import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { readTextExactly } from "@caret/protocol/agent-api";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";
import { pipe, transformSplitEnvelope } from "@connectrpc/connect/protocol";
import type { UpstreamRequest } from "../net/listen-on-one-port.ts";

readTextExactly();

const COMPRESSED = 0x01;
/** More than any message of a client has. */
const MOST_BYTES = 64 * 1024 * 1024;

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
};

/** The payloads of a request's envelopes, decompressed where the client has compressed them. */
export async function* readEnvelopes(request: UpstreamRequest): AsyncGenerator<Uint8Array> {
  const encoding = String(request.headers["connect-content-encoding"] ?? "");
  const envelopes = pipe(request as AsyncIterable<Uint8Array>, transformSplitEnvelope(MOST_BYTES));
  for await (const { flags, data } of envelopes) {
    const decode = (flags & COMPRESSED) === 0 ? undefined : decoders[encoding];
    yield decode === undefined ? data : decode(data);
  }
}

/** The messages that a client sends over the stream of its run. */
export async function* readClientMessages(request: UpstreamRequest): AsyncGenerator<AgentClientMessage> {
  try {
    for await (const payload of readEnvelopes(request)) yield fromBinary(AgentClientMessageSchema, payload);
  } catch (error) {
    // A client that ends its run in the middle of a message has said its last; anything else is an error.
    if (!request.destroyed && !(request as { aborted?: boolean }).aborted) throw error;
  }
}
