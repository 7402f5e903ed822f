import type { ErrorCode, ErrorInfo } from "@caret/protocol";
import { asSentence } from "../door/as-sentence.ts";

interface Face {
  readonly status: number;
  readonly type: string;
}

const badRequest: Face = { status: 400, type: "invalid_request_error" };
const forbidden: Face = { status: 403, type: "permission_error" };
const notFound: Face = { status: 404, type: "not_found_error" };
const conflict: Face = { status: 409, type: "invalid_request_error" };
const unprocessable: Face = { status: 422, type: "invalid_request_error" };
const spent: Face = { status: 402, type: "billing_error" };
const limited: Face = { status: 429, type: "rate_limit_error" };
const failed: Face = { status: 500, type: "api_error" };
const upstream: Face = { status: 502, type: "api_error" };
const unavailable: Face = { status: 503, type: "api_error" };
const late: Face = { status: 504, type: "timeout_error" };
const overloaded: Face = { status: 529, type: "overloaded_error" };

/**
 * How each of our errors looks to an Anthropic client. A new code does not compile until it has a row.
 *
 * 401 is kept for the client's own token: Claude Code answers it by asking for another login, which would be no help
 * when it is Caret's login at Cursor that is missing. What must not be tried again by itself, because it was stopped on
 * purpose or would only cost money, is none of 409, 429 and 5xx: all clients try those again.
 */
const faces = {
  "not-logged-in": forbidden,
  "bad-key": forbidden,
  "model-unknown": notFound,
  "model-unavailable": forbidden,
  "usage-limit": spent,
  "rate-limited": limited,
  "policy-disabled": forbidden,
  "workspace-untrusted": forbidden,
  "workspace-missing": badRequest,
  "workspace-forbidden": forbidden,
  "cli-missing": unavailable,
  "cli-not-executable": unavailable,
  "cli-broken": unavailable,
  "cli-outdated": unavailable,
  "prompt-too-long": { status: 413, type: "request_too_large" },
  "no-result": upstream,
  "agent-crashed": upstream,
  "agent-unavailable": overloaded,
  "upstream-error": upstream,
  "upstream-unreachable": upstream,
  "protocol-drift": upstream,
  "protocol-violation": upstream,
  "too-large": { status: 413, type: "request_too_large" },
  stalled: late,
  "timed-out": late,
  killed: upstream,
  interrupted: unavailable,
  cancelled: badRequest,
  "budget-exceeded": spent,
  "loop-stopped": badRequest,
  "session-not-found": notFound,
  "session-busy": conflict,
  "session-corrupt": unprocessable,
  "invalid-request": badRequest,
  "invalid-config": failed,
  unauthenticated: { status: 401, type: "authentication_error" },
  forbidden,
  "not-found": notFound,
  overloaded: limited,
  "storage-full": { status: 507, type: "api_error" },
  "storage-locked": failed,
  "storage-failed": failed,
  "sandbox-unavailable": unavailable,
  "tool-unknown": unprocessable,
  unsupported: badRequest,
  internal: failed,
} as const satisfies Record<ErrorCode, Face>;

/** Shown as the body of a failed answer, or inside `event: error` when the stream has begun. */
export interface AnthropicErrorBody {
  readonly type: "error";
  readonly error: { readonly type: string; readonly message: string; readonly code: ErrorCode };
  readonly request_id?: string;
}

export function toAnthropicError(info: ErrorInfo, requestId?: string): { status: number; body: AnthropicErrorBody } {
  const { status, type } = faces[info.code];
  // The clients show nothing but the message, so what to do about it has to be in there.
  const error = { type, message: `${asSentence(info.message)} ${info.fix}`, code: info.code };
  return { status, body: { type: "error", error, ...(requestId === undefined ? {} : { request_id: requestId }) } };
}
