import { CaretError, type ErrorCode, type ErrorInfo, errorCatalogue } from "@caret/protocol";
import { asSentence } from "../door/as-sentence.ts";

/** How OpenAI's clients are told of a failure: the status decides whether they try again, the message is shown. */
interface Face {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly retryAfterSeconds?: number;
}

const invalid = (status: number, code: string): Face => ({ status, type: "invalid_request_error", code });
const denied = (code: string): Face => ({ status: 403, type: "permission_error", code });
const quota: Face = { status: 402, type: "insufficient_quota", code: "insufficient_quota" };
const server = (status: number, code: string): Face => ({ status, type: "server_error", code });
const busy = (code: string, retryAfterSeconds: number): Face => ({
  status: 429,
  type: "rate_limit_error",
  code,
  retryAfterSeconds,
});

/**
 * Every error at this door. A new code does not compile until it has a row.
 *
 * Clients try 409, 429 and 5xx again by themselves, so nothing stands there that was stopped on purpose or would only
 * cost money: a used-up plan is 402, as other compatible servers have it. 401 is for the client's own token alone; a
 * missing login at Cursor is nothing the client could mend by asking for another key.
 */
const faces: Record<ErrorCode, Face> = {
  "not-logged-in": denied("not_logged_in"),
  "bad-key": denied("upstream_key_invalid"),
  "model-unknown": invalid(404, "model_not_found"),
  "model-unavailable": denied("model_unavailable"),
  "usage-limit": quota,
  "rate-limited": busy("rate_limit_exceeded", 5),
  "policy-disabled": denied("policy_disabled"),
  "workspace-untrusted": denied("workspace_untrusted"),
  "workspace-missing": invalid(422, "workspace_missing"),
  "workspace-forbidden": denied("workspace_forbidden"),
  "cli-missing": server(503, "cli_missing"),
  "cli-not-executable": server(503, "cli_not_executable"),
  "cli-broken": server(503, "cli_broken"),
  "cli-outdated": server(503, "cli_outdated"),
  "prompt-too-long": invalid(413, "prompt_too_long"),
  "no-result": server(502, "no_result"),
  "agent-crashed": server(502, "agent_crashed"),
  "agent-unavailable": server(503, "agent_unavailable"),
  "upstream-error": server(502, "upstream_error"),
  "upstream-unreachable": server(502, "upstream_unreachable"),
  "protocol-drift": server(502, "protocol_drift"),
  "protocol-violation": server(502, "protocol_violation"),
  "too-large": invalid(413, "too_large"),
  stalled: server(504, "stalled"),
  "timed-out": server(504, "timed_out"),
  killed: server(502, "killed"),
  interrupted: server(503, "interrupted"),
  cancelled: invalid(499, "cancelled"),
  "budget-exceeded": quota,
  "loop-stopped": invalid(422, "loop_stopped"),
  "session-not-found": invalid(404, "session_not_found"),
  "session-busy": invalid(409, "session_busy"),
  "session-corrupt": server(500, "session_corrupt"),
  "invalid-request": invalid(400, "invalid_request"),
  "invalid-config": server(500, "invalid_config"),
  unauthenticated: { status: 401, type: "authentication_error", code: "invalid_api_key" },
  forbidden: denied("forbidden"),
  "not-found": invalid(404, "not_found"),
  overloaded: busy("overloaded", 1),
  "storage-full": server(503, "storage_full"),
  "storage-locked": server(503, "storage_locked"),
  "storage-failed": server(500, "storage_failed"),
  "sandbox-unavailable": server(503, "sandbox_unavailable"),
  "tool-unknown": invalid(422, "tool_unknown"),
  unsupported: invalid(422, "unsupported"),
  internal: server(500, "internal_error"),
};

export interface OpenaiError {
  readonly message: string;
  readonly type: string;
  readonly param: null;
  readonly code: string;
  /** Our own word for it, for whoever knows Caret. */
  readonly caret: Omit<ErrorInfo, "message">;
}

/** The `error` object of this door's answers, in a body or in the middle of a stream. */
export function toOpenaiError(info: ErrorInfo): OpenaiError {
  const { type, code } = faces[info.code];
  const { message: _, ...caret } = info;
  return { message: errorMessage(info), type, param: null, code, caret };
}

/** What failed, upstream's words if there are any, and what to do: clients show the message and little else. */
export function errorMessage({ code, message, fix, upstream = "" }: ErrorInfo): string {
  const words = message.includes(upstream) ? "" : upstream;
  // A message about a bad request says what to correct; the catalogue's general advice adds nothing to it.
  const advice = fix === errorCatalogue["invalid-request"].fix && code === "invalid-request" ? "" : fix;
  return [message, words, advice]
    .map((part) => part.trim())
    .filter(Boolean)
    .map(asSentence)
    .join(" ");
}

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: OpenaiError };
}

/** A whole HTTP answer. `x-should-retry` overrules what the official SDKs conclude from the status. */
export function toErrorReply(error: CaretError): ErrorReply {
  const { status, retryAfterSeconds } = faces[error.code];
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return {
    status,
    headers: { "x-should-retry": String(error.retryable), ...retryAfter },
    body: { error: toOpenaiError(error.toInfo()) },
  };
}

/** A failure that travelled as plain data, as an error again. */
export function toCaretError({ code, message, retryable, fix, upstream }: ErrorInfo): CaretError {
  return new CaretError(code, message, { retryable, fix, ...(upstream === undefined ? {} : { upstream }) });
}
