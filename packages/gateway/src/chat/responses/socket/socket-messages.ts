import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, parseJson } from "@caret/protocol";
import { invalidRequest } from "../../../http/read-body.ts";

/** A client's request over a WebSocket. */
export interface CreateMessage {
  /** The body, as for a request over HTTP. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  /** False: send no answer; a later request goes on from this one's input. */
  readonly isAnswered: boolean;
}

/** Codex puts into each message what it otherwise sends as request headers. */
const METADATA_HEADER = "x-codex-turn-metadata";

/** Reads a message of type `response.create`; throws for any other. `headers`: the connection's. */
export function readCreateMessage(text: string, headers: IncomingHttpHeaders): CreateMessage {
  const message = parseJson(text);
  if (!isJsonObject(message)) throw invalidRequest("A message must be a JSON object");
  const { type, generate, stream_id, stream: _stream, stream_options: _options, background, ...value } = message;
  if (type !== "response.create")
    throw invalidRequest(`type: must be "response.create", not ${JSON.stringify(type)?.slice(0, 100)}`);
  if (background === true)
    throw invalidRequest("background: a WebSocket is for responses that are waited for; ask for this one over HTTP");
  if ((stream_id ?? null) !== null)
    throw invalidRequest(
      "stream_id: one response at a time is made over a connection; open one connection for each stream",
    );
  if (generate !== undefined && typeof generate !== "boolean") throw invalidRequest("generate: must be true or false");
  // The key was for a single request, and each message is one.
  const { "idempotency-key": _key, ...lasting } = headers;
  return {
    value: { ...value, stream: true },
    headers: { ...lasting, ...metadataOf(value["client_metadata"]) },
    isAnswered: generate !== false,
  };
}

function metadataOf(metadata: unknown): IncomingHttpHeaders {
  const turn = isJsonObject(metadata) ? metadata[METADATA_HEADER] : undefined;
  return typeof turn === "string" ? { [METADATA_HEADER]: turn } : {};
}
