import type { AgentEvent } from "@caret/protocol";
import type { Cut } from "../stop-matcher.ts";
import type { ResponseObject } from "./response-object.ts";
import { ResponseStream, type ResponseStreamOptions } from "./stream.ts";

/** The whole response at once: what `response.completed` would have held at the end of the stream. */
export function toResponse(events: readonly AgentEvent[], options: ResponseStreamOptions, cut?: Cut): ResponseObject {
  const stream = new ResponseStream(options);
  stream.write(events);
  stream.end({ kind: "finished", cut });
  return stream.response;
}
