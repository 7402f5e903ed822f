import type { ErrorCode, ErrorInfo } from "@caret/protocol";

type Failure = Pick<ErrorInfo, "code" | "retryable" | "retryAfterSeconds" | "hasActed">;

/**
 * Transient failures, and after how many seconds a program may repeat the same request.
 *
 * Every other failure is final for a program. The catalogue's `retryable` is advice for people: a turn that crashed, stalled or timed out
 * may well succeed the next time, but it has already cost an agent, and a client that repeats it unasked pays for another. And once the
 * turn has acted, every failure is final, whatever its code: what it did would be done twice.
 */
const passing: Partial<Record<ErrorCode, number>> = {
  overloaded: 1,
  "session-busy": 2,
  interrupted: 2,
  "rate-limited": 5,
  "agent-unavailable": 5,
  "upstream-unreachable": 5,
};

/** Undefined if the failure is final. */
export function retryAfterSeconds({
  code,
  retryable,
  retryAfterSeconds: known,
  hasActed,
}: Failure): number | undefined {
  const usual = retryable && hasActed !== true ? passing[code] : undefined;
  return usual === undefined ? undefined : (known ?? usual);
}

/**
 * Whether the failure must not have a status on which clients retry unasked. `internal` keeps its own while the turn has not acted: it is
 * our bug, and monitoring should see it.
 */
export function isFinal(failure: Failure): boolean {
  if (failure.hasActed === true) return true;
  return failure.code !== "internal" && retryAfterSeconds(failure) === undefined;
}

/**
 * `x-should-retry` overrides what the official SDKs and Claude Code infer from the status. A final failure with a known end, such as a
 * day's quota, says when; no client waits that long unasked.
 */
export function retryHeaders(failure: Failure): Readonly<Record<string, string>> {
  const seconds = retryAfterSeconds(failure);
  const time = seconds ?? failure.retryAfterSeconds;
  return {
    "x-should-retry": String(seconds !== undefined),
    ...(time === undefined ? {} : { "retry-after": String(time) }),
  };
}
