import { type ErrorCode, type ErrorInfo, inCommandForm } from "@caret/protocol";
import type { ErrorReply, Failure } from "../http/error-handler.ts";
import { isFinal, retryAfterSeconds, retryHeaders } from "../http/retry-advice.ts";

/**
 * The status of each of our errors at the native door. A new code does not compile without a row.
 *
 * 401 is reserved for the client's own token: the page reacts by asking for a new sign-in.
 */
const statuses = {
  "not-logged-in": 403,
  "bad-key": 403,
  "model-unknown": 404,
  "model-unavailable": 403,
  "usage-limit": 402,
  "rate-limited": 429,
  "policy-disabled": 403,
  "workspace-untrusted": 403,
  "workspace-missing": 400,
  "workspace-forbidden": 403,
  "cli-missing": 503,
  "cli-not-executable": 503,
  "cli-broken": 503,
  "cli-outdated": 503,
  "prompt-too-long": 413,
  "no-result": 502,
  "agent-crashed": 502,
  "agent-unavailable": 503,
  "upstream-error": 502,
  "upstream-unreachable": 502,
  "protocol-drift": 502,
  "protocol-violation": 502,
  "too-large": 413,
  stalled: 504,
  "timed-out": 504,
  killed: 502,
  interrupted: 503,
  cancelled: 409,
  "budget-exceeded": 402,
  "loop-stopped": 422,
  "session-not-found": 404,
  "session-busy": 409,
  "session-corrupt": 422,
  "answer-not-kept": 410,
  "previous-response-not-found": 404,
  "invalid-request": 400,
  "invalid-config": 500,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  overloaded: 429,
  "storage-full": 507,
  "storage-locked": 500,
  "storage-failed": 500,
  "sandbox-unavailable": 503,
  "tool-unknown": 422,
  "tool-not-called": 422,
  "format-not-met": 422,
  unsupported: 422,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

declare module "fastify" {
  interface FastifyInstance {
    /** How a person starts Caret on this machine, such as `caret`. */
    readonly command: string;
  }
}

interface NativeErrorBody {
  readonly error: ErrorInfo;
}

/** Code, message, fix, and whether a retry may help. */
export function toNativeError(info: ErrorInfo): { readonly status: number; readonly body: NativeErrorBody } {
  const status = wouldPass(info) && isFinal(info) ? FAILED_DEPENDENCY : statuses[info.code];
  return { status, body: { error: info } };
}

/** Programs retry on these errors' statuses: one that is final this time gets another. */
function wouldPass({ code, hasActed }: ErrorInfo): boolean {
  return hasActed === true || retryAfterSeconds({ code, retryable: true }) !== undefined;
}

const FAILED_DEPENDENCY = 424;

/** A complete HTTP answer, with commands as a person types them on this machine. */
export function toNativeReply({ info, status, request }: Failure): ErrorReply {
  const shown = toNativeError({ ...info, fix: inCommandForm(info.fix, request.server.command) });
  return { status: status ?? shown.status, headers: retryHeaders(info), body: shown.body };
}
