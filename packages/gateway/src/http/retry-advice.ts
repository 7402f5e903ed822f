import type { ErrorCode, ErrorInfo } from "@caret/protocol";

type Failure = Pick<ErrorInfo, "code" | "retryable" | "retryAfterSeconds" | "hasActed">;

/**
 * The failures that pass without anybody's help, and after how many seconds a program may send the same request again.
 *
 * Every other failure is final for a program. The catalogue's `retryable` is advice for people: a turn that crashed, stalled
 * or ran out of time may well succeed the next time, but it has already cost an agent, and a client that repeats it unasked
 * pays for another. And every failure is final, whatever its code, once the turn has acted: what it did would be done twice.
 */
const passing: Partial<Record<ErrorCode, number>> = {
  overloaded: 1,
  "session-busy": 2,
  interrupted: 2,
  "rate-limited": 5,
  "agent-unavailable": 5,
  "upstream-unreachable": 5,
};

/** Undefined when the failure is final. */
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
 * Whether the failure must not have a status by which clients try again unasked. `internal` keeps its own while the turn has not acted:
 * it is a bug of ours, and monitoring should see it.
 */
export function isFinal(failure: Failure): boolean {
  if (failure.hasActed === true) return true;
  return failure.code !== "internal" && retryAfterSeconds(failure) === undefined;
}

/**
 * `x-should-retry` overrules what the official SDKs and Claude Code conclude from the status. A final failure whose end is known, as that of
 * a day's quota is, says when; no client waits that long by itself.
 */
export function retryHeaders(failure: Failure): Readonly<Record<string, string>> {
  const seconds = retryAfterSeconds(failure);
  const time = seconds ?? failure.retryAfterSeconds;
  return {
    "x-should-retry": String(seconds !== undefined),
    ...(time === undefined ? {} : { "retry-after": String(time) }),
  };
}
