import type { IncomingHttpHeaders } from "node:http";
import { codingClientOf, isCodexSideCall } from "./coding-client.ts";
import type { DoorRequest } from "./door-request.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";

/** What the caller says is no part of a conversation: it gets an agent without tools, and is not kept. */
export const SIDE_CALL_HEADER = "x-caret-side-call";

/** What a client says of a turn in its headers: in ours, and by what it is. */
export function doorHeaders(
  headers: IncomingHttpHeaders,
): Pick<DoorRequest, "workspace" | "owner" | "codingClient" | "isSideCall" | "idempotencyKey"> {
  const isSideCall = single(headers[SIDE_CALL_HEADER])?.toLowerCase() === "true" || isCodexSideCall(headers);
  const idempotencyKey = readIdempotencyKey(headers);
  return {
    workspace: single(headers["x-caret-workspace"]),
    owner: single(headers["x-caret-tools"]),
    codingClient: codingClientOf(headers),
    ...(isSideCall ? { isSideCall } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function single(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}
