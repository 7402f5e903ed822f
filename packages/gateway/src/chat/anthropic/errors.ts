import type { ErrorCode, ErrorInfo } from "@caret/protocol";
import type { ErrorReply } from "../../http/error-handler.ts";
import { isFinal, retryHeaders } from "../../http/retry-advice.ts";
import { errorMessage } from "../error-message.ts";

interface ErrorResponse {
  readonly status: number;
  readonly type: string;
}

const badRequest: ErrorResponse = { status: 400, type: "invalid_request_error" };
const forbidden: ErrorResponse = { status: 403, type: "permission_error" };
const notFound: ErrorResponse = { status: 404, type: "not_found_error" };
const conflict: ErrorResponse = { status: 409, type: "invalid_request_error" };
const tooLarge: ErrorResponse = { status: 413, type: "request_too_large" };
const refused: ErrorResponse = { status: 424, type: "invalid_request_error" };
const failed: ErrorResponse = { status: 424, type: "turn_failed" };
const spent: ErrorResponse = { status: 402, type: "billing_error" };
const limited: ErrorResponse = { status: 429, type: "rate_limit_error" };
const upstream: ErrorResponse = { status: 502, type: "api_error" };
const unavailable: ErrorResponse = { status: 503, type: "api_error" };
const overloaded: ErrorResponse = { status: 529, type: "overloaded_error" };

/**
 * How each of our errors looks to an Anthropic client. A new code does not compile without a row.
 *
 * 401 is reserved for the client's own token: Claude Code reacts by asking for another login, which would not help when Caret's login at
 * Cursor is missing. Clients retry 409, 429, 5xx and, inside a stream, `api_error` and `overloaded_error` automatically, so only transient
 * errors (`retry-advice.ts`) have such a status. Claude Code also retries 400 and 422, five times, each with fewer of its betas: so 400 is
 * for bodies that cannot be read or answered, and any other refusal or failure is 424. `internal` stays 500: it is our bug, and monitoring
 * should see it.
 */
const responses = {
  "not-logged-in": forbidden,
  "bad-key": forbidden,
  "model-unknown": notFound,
  "model-unavailable": forbidden,
  "usage-limit": spent,
  "rate-limited": limited,
  "policy-disabled": forbidden,
  "workspace-untrusted": forbidden,
  "workspace-missing": refused,
  "workspace-forbidden": forbidden,
  "cli-missing": failed,
  "cli-not-executable": failed,
  "cli-broken": failed,
  "cli-outdated": failed,
  "prompt-too-long": tooLarge,
  "no-result": failed,
  "agent-crashed": failed,
  "agent-unavailable": overloaded,
  "upstream-error": failed,
  "upstream-unreachable": upstream,
  "protocol-drift": failed,
  "protocol-violation": failed,
  "too-large": tooLarge,
  stalled: failed,
  "timed-out": failed,
  killed: failed,
  interrupted: unavailable,
  cancelled: failed,
  "budget-exceeded": spent,
  "loop-stopped": failed,
  "session-not-found": notFound,
  "session-busy": conflict,
  "session-corrupt": failed,
  "answer-not-kept": refused,
  "previous-response-not-found": refused,
  "invalid-request": badRequest,
  "invalid-config": failed,
  unauthenticated: { status: 401, type: "authentication_error" },
  forbidden,
  "not-found": notFound,
  overloaded: limited,
  "storage-full": failed,
  "storage-locked": failed,
  "storage-failed": failed,
  "sandbox-unavailable": failed,
  "tool-unknown": refused,
  "tool-not-called": refused,
  "format-not-met": refused,
  unsupported: badRequest,
  internal: { status: 500, type: "api_error" },
} as const satisfies Record<ErrorCode, ErrorResponse>;

/** Makes a failure final if it is not worth a retry, or if part of the answer was already shown. */
function responseOf(info: ErrorInfo, isBegun: boolean): ErrorResponse {
  const response = responses[info.code];
  const invitesRetry = response.status === 409 || response.status === 429 || response.status >= 500;
  return (isBegun || isFinal(info)) && invitesRetry ? failed : response;
}

/** The body of a failed answer, or the data of `event: error` once the stream has begun. */
export interface AnthropicErrorBody {
  readonly type: "error";
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly code: ErrorCode;
    readonly retryAfterSeconds?: number;
  };
  readonly request_id?: string;
}

/** `isBegun`: the client has already seen part of the answer. Then any failure is final: a retry would be answered twice. */
export function toAnthropicError(info: ErrorInfo, isBegun = false): AnthropicErrorBody {
  const { type } = responseOf(info, isBegun);
  const { code, retryAfterSeconds: wait } = info;
  const error = { type, message: errorMessage(info), code, ...(wait === undefined ? {} : { retryAfterSeconds: wait }) };
  return { type: "error", error };
}

export interface AnthropicErrorReply extends ErrorReply {
  readonly body: AnthropicErrorBody;
}

/** A complete HTTP answer. `status`: a more specific one than our code's. */
export function toAnthropicReply(info: ErrorInfo, requestId: string, status?: number): AnthropicErrorReply {
  return {
    status: status ?? responseOf(info, false).status,
    headers: { "request-id": requestId, ...retryHeaders(info) },
    body: { ...toAnthropicError(info), request_id: requestId },
  };
}
