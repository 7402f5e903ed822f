import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, parseJson } from "@caret/protocol";
import { invalidRequest } from "../../../http/read-body.ts";

/** What a client asks for over a WebSocket. */
export interface CreateMessage {
  /** The body, as a request over HTTP would have it. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  /** False: nothing is to be answered, and a later request goes on from what this one brought. */
  readonly isAnswered: boolean;
}

/** Codex sends in each message what it sends in the headers of a request. */
const METADATA_HEADER = "x-codex-turn-metadata";

/** Reads a message of type `response.create`. Throws for any other. `headers`: those of the connection. */
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
  // The key was meant for one request, and each message is one.
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
