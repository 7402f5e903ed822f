import type { ErrorCode, ErrorInfo } from "@caret/protocol";
import { errorMessage } from "../openai/errors.ts";

type FailureCode = "invalid_prompt" | "rate_limit_exceeded" | "server_error";

/**
 * How a failure is named inside a stream; whole answers use the chat door's table of statuses.
 *
 * Codex tries again on every code but a few, and of those only `invalid_prompt` lets our message through. So whatever
 * would fail again is called that, and what may pass is a `server_error`.
 */
const failureCodes: Record<ErrorCode, FailureCode> = {
  "not-logged-in": "invalid_prompt",
  "bad-key": "invalid_prompt",
  "model-unknown": "invalid_prompt",
  "model-unavailable": "invalid_prompt",
  "usage-limit": "invalid_prompt",
  "rate-limited": "rate_limit_exceeded",
  "policy-disabled": "invalid_prompt",
  "workspace-untrusted": "invalid_prompt",
  "workspace-missing": "invalid_prompt",
  "workspace-forbidden": "invalid_prompt",
  "cli-missing": "invalid_prompt",
  "cli-not-executable": "invalid_prompt",
  "cli-broken": "invalid_prompt",
  "cli-outdated": "invalid_prompt",
  "prompt-too-long": "invalid_prompt",
  "no-result": "server_error",
  "agent-crashed": "server_error",
  "agent-unavailable": "server_error",
  "upstream-error": "invalid_prompt",
  "upstream-unreachable": "server_error",
  "protocol-drift": "invalid_prompt",
  "protocol-violation": "invalid_prompt",
  "too-large": "invalid_prompt",
  stalled: "server_error",
  "timed-out": "server_error",
  killed: "server_error",
  interrupted: "server_error",
  cancelled: "invalid_prompt",
  "budget-exceeded": "invalid_prompt",
  "loop-stopped": "invalid_prompt",
  "session-not-found": "invalid_prompt",
  "session-busy": "server_error",
  "session-corrupt": "invalid_prompt",
  "invalid-request": "invalid_prompt",
  "invalid-config": "invalid_prompt",
  unauthenticated: "invalid_prompt",
  forbidden: "invalid_prompt",
  "not-found": "invalid_prompt",
  overloaded: "rate_limit_exceeded",
  "storage-full": "server_error",
  "storage-locked": "invalid_prompt",
  "storage-failed": "invalid_prompt",
  "sandbox-unavailable": "invalid_prompt",
  "tool-unknown": "invalid_prompt",
  unsupported: "invalid_prompt",
  internal: "invalid_prompt",
};

export interface ResponseError {
  readonly code: FailureCode;
  readonly message: string;
}

export function toResponseError(info: ErrorInfo): ResponseError {
  return { code: failureCodes[info.code], message: errorMessage(info) };
}
