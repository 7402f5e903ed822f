import type { IncomingHttpHeaders } from "node:http";
import { refusalWith } from "./refusals.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The client's own name for one request, in the same header at every door. Undefined: it is done as often as it is sent. */
export function readIdempotencyKey({ "idempotency-key": header }: IncomingHttpHeaders): string | undefined {
  const key = Array.isArray(header) ? header.join() : header;
  if (key === undefined || KEY.test(key)) return key;
  throw refusalWith(400, "idempotency-key: must be 1 to 255 visible characters.");
}
