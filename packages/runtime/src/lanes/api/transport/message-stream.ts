import { CaretError } from "@caret/protocol";
import type { UniversalClientResponse } from "@connectrpc/connect/protocol";
import { dropped } from "../../../credentials/upstream-failure.ts";
import { createEnvelopeReader } from "./envelope-reader.ts";
import { readEndFrame, readErrorResponse, type StreamEnd } from "./stream-end.ts";

/** What one read of a stream contained. The last one has an end. */
export interface StreamRead {
  readonly messages: readonly Uint8Array[];
  readonly end?: StreamEnd;
}

const HTTP_OK = 200;
const MAX_ERROR_BYTES = 64 * 1024;
/** RunSSE may declare its stream as the latter; the bytes are the same. */
const streamTypes = ["application/connect+proto", "text/event-stream"];

/** The messages of a response, one batch per read. Never rejects: an error is the end of the last read. */
export async function* readMessages(
  respond: () => Promise<UniversalClientResponse>,
  maxBytes: number,
): AsyncGenerator<StreamRead, void, undefined> {
  try {
    const response = await respond();
    if (response.status !== HTTP_OK) return yield { messages: [], end: await refusalOf(response) };
    const type = response.header.get("content-type") ?? "";
    if (!streamTypes.some((known) => type.startsWith(known))) throw notAStream(type);
    yield* readBody(response, maxBytes);
  } catch (reason) {
    yield { messages: [], end: { kind: "dropped", error: dropped(reason) } };
  }
}

async function* readBody({ header, body }: UniversalClientResponse, maxBytes: number): AsyncGenerator<StreamRead> {
  const encoding = header.get("connect-content-encoding") ?? undefined;
  const reader = createEnvelopeReader({ maxBytes, encoding });
  for await (const chunk of body) {
    const { messages, end } = reader.push(chunk);
    if (end !== undefined) return yield { messages, end: readEndFrame(end, header) };
    if (messages.length > 0) yield { messages };
  }
  const where = reader.isTruncated ? "within a message" : "without an end frame";
  throw new CaretError("no-result", `The upstream's stream broke off ${where}`);
}

async function refusalOf({ status, header, body }: UniversalClientResponse): Promise<StreamEnd> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_ERROR_BYTES) break;
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { kind: "refused", refusal: readErrorResponse(status, header, text) };
}

function notAStream(type: string): CaretError {
  return new CaretError(
    "protocol-violation",
    `The upstream answered with ${type || "no content type"} in place of a stream`,
    {
      fix: "Check the address: no agent of Cursor's answers there.",
    },
  );
}
