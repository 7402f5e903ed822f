import { RequestError } from "@agentclientprotocol/sdk";
import { CaretError, type ErrorCode, inCommandForm } from "@caret/protocol";

const AUTH_REQUIRED = -32_000;
const NOT_FOUND = -32_002;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
const FAILED = -32_603;
const CANCELLED = -32_800;

/** JSON-RPC number of each of our errors; `data` has the code itself. A new code does not compile without a row. */
const numbers = {
  "not-logged-in": AUTH_REQUIRED,
  "bad-key": AUTH_REQUIRED,
  "model-unknown": INVALID_PARAMS,
  "model-unavailable": INVALID_PARAMS,
  "usage-limit": FAILED,
  "rate-limited": FAILED,
  "policy-disabled": FAILED,
  "workspace-untrusted": INVALID_PARAMS,
  "workspace-missing": INVALID_PARAMS,
  "workspace-forbidden": INVALID_PARAMS,
  "cli-missing": FAILED,
  "cli-not-executable": FAILED,
  "cli-broken": FAILED,
  "cli-outdated": FAILED,
  "prompt-too-long": INVALID_PARAMS,
  "no-result": FAILED,
  "agent-crashed": FAILED,
  "agent-unavailable": FAILED,
  "upstream-error": FAILED,
  "upstream-unreachable": FAILED,
  "protocol-drift": FAILED,
  "protocol-violation": FAILED,
  "too-large": INVALID_PARAMS,
  stalled: FAILED,
  "timed-out": FAILED,
  killed: FAILED,
  interrupted: FAILED,
  cancelled: CANCELLED,
  "budget-exceeded": FAILED,
  "loop-stopped": FAILED,
  "session-not-found": NOT_FOUND,
  "session-busy": INVALID_REQUEST,
  "session-corrupt": FAILED,
  "answer-not-kept": FAILED,
  "previous-response-not-found": FAILED,
  "invalid-request": INVALID_PARAMS,
  "invalid-config": FAILED,
  unauthenticated: FAILED,
  forbidden: FAILED,
  "not-found": NOT_FOUND,
  overloaded: FAILED,
  "storage-full": FAILED,
  "storage-locked": FAILED,
  "storage-failed": FAILED,
  "sandbox-unavailable": FAILED,
  "tool-unknown": FAILED,
  "tool-not-called": FAILED,
  "format-not-met": FAILED,
  unsupported: INVALID_PARAMS,
  internal: FAILED,
} as const satisfies Record<ErrorCode, number>;

/** Editors show only the message, so it includes the advice; `data` has the parts. */
export function toRequestError(reason: unknown, command: string): RequestError {
  if (reason instanceof RequestError) return reason;
  const { fix, ...info } = CaretError.from(reason).toInfo();
  const advice = inCommandForm(fix, command);
  return new RequestError(numbers[info.code], `${info.message}. ${advice}`, { ...info, fix: advice });
}
