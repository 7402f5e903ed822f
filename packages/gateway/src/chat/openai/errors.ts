import type { ErrorCode, ErrorInfo } from "@caret/protocol";
import type { ErrorReply } from "../../http/error-handler.ts";
import { isFinal, retryHeaders } from "../../http/retry-advice.ts";
import { errorMessage } from "../error-message.ts";

/** How OpenAI's clients see a failure: most decide on a retry by the status, some by the type. */
interface ErrorResponse {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  /** The field of the request that is wrong. */
  readonly param?: string;
}

const invalid = (status: number, code: string): ErrorResponse => ({ status, type: "invalid_request_error", code });
const denied = (code: string): ErrorResponse => ({ status: 403, type: "permission_error", code });
const quota: ErrorResponse = { status: 402, type: "insufficient_quota", code: "insufficient_quota" };
const failed = (code: string): ErrorResponse => ({ status: 424, type: "turn_failed", code });
const server = (status: number, code: string): ErrorResponse => ({ status, type: "server_error", code });
const limited = (code: string): ErrorResponse => ({ status: 429, type: "rate_limit_error", code });

/**
 * Every error at this door. A new code does not compile without a row.
 *
 * Clients retry 408, 409, 429 and 5xx automatically, mostly without looking at `x-should-retry`, and some also retry the type
 * `server_error`. So only transient errors (`retry-advice.ts`) have such a status. A turn that failed for good is 424, with a type that no
 * client knows: the answer depends on the agent, which failed. A used-up plan is 402, as on other compatible servers. 401 is reserved for
 * the client's own token; asking for another key would not fix a missing login at Cursor. `internal` stays 500: it is our bug, and
 * monitoring should see it.
 */
const responses: Record<ErrorCode, ErrorResponse> = {
  "not-logged-in": denied("not_logged_in"),
  "bad-key": denied("upstream_key_invalid"),
  "model-unknown": invalid(404, "model_not_found"),
  "model-unavailable": denied("model_unavailable"),
  "usage-limit": quota,
  "rate-limited": limited("rate_limit_exceeded"),
  "policy-disabled": denied("policy_disabled"),
  "workspace-untrusted": denied("workspace_untrusted"),
  "workspace-missing": invalid(422, "workspace_missing"),
  "workspace-forbidden": denied("workspace_forbidden"),
  "cli-missing": failed("cli_missing"),
  "cli-not-executable": failed("cli_not_executable"),
  "cli-broken": failed("cli_broken"),
  "cli-outdated": failed("cli_outdated"),
  "prompt-too-long": invalid(413, "prompt_too_long"),
  "no-result": failed("no_result"),
  "agent-crashed": failed("agent_crashed"),
  "agent-unavailable": server(503, "agent_unavailable"),
  "upstream-error": failed("upstream_error"),
  "upstream-unreachable": server(502, "upstream_unreachable"),
  "protocol-drift": failed("protocol_drift"),
  "protocol-violation": failed("protocol_violation"),
  "too-large": invalid(413, "too_large"),
  stalled: failed("stalled"),
  "timed-out": failed("timed_out"),
  killed: failed("killed"),
  interrupted: server(503, "interrupted"),
  cancelled: invalid(499, "cancelled"),
  "budget-exceeded": quota,
  "loop-stopped": failed("loop_stopped"),
  "session-not-found": invalid(404, "session_not_found"),
  "session-busy": invalid(409, "session_busy"),
  "session-corrupt": failed("session_corrupt"),
  "answer-not-kept": invalid(410, "answer_not_kept"),
  "previous-response-not-found": {
    ...invalid(400, "previous_response_not_found"),
    param: "previous_response_id",
  },
  "invalid-request": invalid(400, "invalid_request"),
  "invalid-config": failed("invalid_config"),
  unauthenticated: { status: 401, type: "authentication_error", code: "invalid_api_key" },
  forbidden: denied("forbidden"),
  "not-found": invalid(404, "not_found"),
  overloaded: limited("overloaded"),
  "storage-full": failed("storage_full"),
  "storage-locked": failed("storage_locked"),
  "storage-failed": failed("storage_failed"),
  "sandbox-unavailable": failed("sandbox_unavailable"),
  "tool-unknown": invalid(422, "tool_unknown"),
  "tool-not-called": invalid(422, "tool_not_called"),
  "format-not-met": invalid(422, "format_not_met"),
  unsupported: invalid(422, "unsupported"),
  internal: server(500, "internal_error"),
};

/** Types and statuses on which clients retry. */
function invitesRetry({ status, type }: ErrorResponse): boolean {
  return status === 409 || status === 429 || status >= 500 || type === "server_error";
}

/** Makes a failure final if it is not worth a retry, or if part of the answer was already shown. */
function responseOf(info: ErrorInfo, isBegun: boolean): ErrorResponse {
  const response = responses[info.code];
  return (isBegun || isFinal(info)) && invitesRetry(response) ? failed(response.code) : response;
}

export interface OpenaiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
  /** Our own error, for programs that know Caret. */
  readonly caret: Omit<ErrorInfo, "message">;
}

/**
 * The `error` object of this door's answers, in a body or mid-stream. `isBegun`: the client has already seen part of the answer. Then any
 * failure is final: a retry would be answered twice.
 */
export function toOpenaiError(info: ErrorInfo, isBegun = false): OpenaiError {
  const { type, code, param = null } = responseOf(info, isBegun);
  const { message: _, ...caret } = info;
  return { message: errorMessage(info), type, param, code, caret };
}

export interface OpenaiErrorReply extends ErrorReply {
  readonly body: { readonly error: OpenaiError };
}

/** A complete HTTP answer. `status`: a more specific one than our code's. */
export function toOpenaiReply(info: ErrorInfo, status?: number): OpenaiErrorReply {
  return {
    status: status ?? responseOf(info, false).status,
    headers: retryHeaders(info),
    body: { error: toOpenaiError(info) },
  };
}
