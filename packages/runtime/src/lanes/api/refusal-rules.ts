import type { ErrorCode } from "@caret/protocol";

/** What a kind of error means here. */
export interface RefusalRule {
  readonly code: ErrorCode;
  readonly retryable?: boolean;
}

/** By number of `aiserver.v1.ErrorDetails.Error`. More specific than Connect's code, which it overrides. */
export const rulesByDetail: ReadonlyMap<number, RefusalRule> = new Map(
  (
    [
      ["bad-key", [1, 42]],
      ["not-logged-in", [2, 3, 6, 11, 12, 18, 38, 65]],
      ["policy-disabled", [4, 53, 54]],
      ["model-unknown", [5]],
      ["usage-limit", [9, 10, 44, 45]],
      ["rate-limited", [7, 8, 14, 22, 28, 34, 35, 41, 50, 51, 63]],
      ["model-unavailable", [23, 40, 58, 60, 61, 64]],
      ["too-large", [20, 31, 43]],
      ["protocol-drift", [30]],
      ["upstream-unreachable", [25, 56]],
    ] as const
  ).flatMap(([code, numbers]) => numbers.map((number) => [number, { code }] as const)),
);

/** A provider's own failure may be transient. */
export const PROVIDER_ERROR = 57;

/** By the response header `x-cursor-inference-request-error-type`. */
export const rulesByHeader: ReadonlyMap<string, RefusalRule> = new Map(
  (
    [
      ["too-large", ["IMAGE_TOO_LARGE", "MAX_TOKENS", "CONVERSATION_TOO_LONG"]],
      ["model-unavailable", ["DEPRECATED", "MAX_MODE_REQUIRED", "MODEL_NO_LONGER_SUPPORTED", "UNSUPPORTED_REGION"]],
      ["protocol-drift", ["OUTDATED_CLIENT"]],
      ["upstream-error", ["CONTENT_POLICY"]],
    ] as const
  ).flatMap(([code, names]) => names.map((name) => [name, { code }] as const)),
);

/** By Connect's code. */
export const rulesByCode: ReadonlyMap<string, RefusalRule> = new Map<string, RefusalRule>([
  ["unauthenticated", { code: "not-logged-in" }],
  ["permission_denied", { code: "policy-disabled" }],
  ["resource_exhausted", { code: "rate-limited" }],
  ["unavailable", { code: "upstream-unreachable" }],
  ["deadline_exceeded", { code: "upstream-unreachable" }],
  ["internal", { code: "upstream-error", retryable: true }],
  ["unimplemented", { code: "protocol-drift" }],
]);

/** By HTTP status, for a response without a code. */
export function ruleOfStatus(status: number): RefusalRule {
  if (status === 401) return { code: "not-logged-in" };
  if (status === 403) return { code: "policy-disabled" };
  if (status === 404) return { code: "protocol-drift" };
  if (status === 413) return { code: "too-large" };
  if (status === 429) return { code: "rate-limited" };
  if (status >= 500) return { code: "upstream-unreachable" };
  return { code: "upstream-error" };
}
