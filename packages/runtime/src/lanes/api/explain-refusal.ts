import { fromBinary } from "@bufbuild/protobuf";
import { CaretError, type ErrorCode } from "@caret/protocol";
import { type ErrorDetails, ErrorDetailsSchema } from "@caret/protocol/agent-api/errors";
import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import {
  PROVIDER_ERROR,
  type RefusalRule,
  ruleOfStatus,
  rulesByCode,
  rulesByDetail,
  rulesByHeader,
} from "./refusal-rules.ts";
import type { UpstreamRefusal } from "./transport/stream-end.ts";

const HTTP_OK = 200;
const DETAIL_TYPE = "aiserver.v1.ErrorDetails";
const MAX_WAIT_SECONDS = 3_600;

/** What an upstream refusal means for the turn. */
export interface ExplainedRefusal {
  readonly error: CaretError;
  /** Upstream itself says that the request may be retried. */
  readonly mayRetry: boolean;
  /** The token was rejected: another one may work. */
  readonly isToken: boolean;
}

/** Converts an upstream error: its detail outranks its code, and its code the HTTP status. */
export function explainRefusal(refusal: UpstreamRefusal): ExplainedRefusal {
  const detail = detailIn(refusal);
  const { code, retryable } = ruleOf(refusal, detail);
  const isRetryable = detail?.details?.isRetryable ?? retryable;
  const error = new CaretError(code, messageOf(refusal, detail, code), {
    upstream: upstreamWords(refusal),
    ...(isRetryable === undefined ? {} : { retryable: isRetryable }),
    ...fixOf(refusal, detail, code),
  });
  const needsPerson = detail?.details?.analyticsMetadata?.actionRequired !== undefined;
  const isTransient = code === "upstream-unreachable" || (code === "upstream-error" && isRetryable === true);
  return {
    error,
    mayRetry: isRetryable !== false && !needsPerson && isTransient,
    isToken: code === "not-logged-in",
  };
}

/** The same for a call made by connect. */
export function explainCallFailure(reason: unknown): ExplainedRefusal {
  if (CaretError.is(reason)) return { error: reason, mayRetry: reason.retryable, isToken: false };
  const { code, rawMessage, details, metadata } = ConnectError.from(reason);
  return explainRefusal({
    code: codeToString(code as Code),
    message: rawMessage,
    details: details.flatMap((detail) =>
      "type" in detail && "value" in detail && detail.value instanceof Uint8Array
        ? [{ type: String(detail.type), value: detail.value }]
        : [],
    ),
    status: HTTP_OK,
    retryAfter: metadata.get("retry-after") ?? undefined,
    errorType: undefined,
  });
}

function detailIn({ details }: UpstreamRefusal): ErrorDetails | undefined {
  const found = details.find(({ type }) => type === DETAIL_TYPE);
  if (found === undefined) return undefined;
  try {
    return fromBinary(ErrorDetailsSchema, found.value);
  } catch {
    return undefined; // an unreadable detail leaves code and message, which suffice
  }
}

function ruleOf({ code, status, errorType }: UpstreamRefusal, detail: ErrorDetails | undefined): RefusalRule {
  const ofDetail = detail === undefined ? undefined : rulesByDetail.get(detail.error);
  if (ofDetail !== undefined) return ofDetail;
  if (detail?.error === PROVIDER_ERROR) return { code: "upstream-error", retryable: true };
  const ofHeader = errorType === undefined ? undefined : rulesByHeader.get(errorType.replace(/^ERROR_/, ""));
  if (ofHeader !== undefined) return ofHeader;
  const ofCode = code === undefined ? undefined : rulesByCode.get(code);
  if (ofCode !== undefined && (status === HTTP_OK || code === "unauthenticated")) return ofCode;
  if (status !== HTTP_OK) return ofCode ?? ruleOfStatus(status);
  return { code: "upstream-error" };
}

const sentences: Partial<Record<ErrorCode, string>> = {
  "not-logged-in": "Cursor does not accept the login",
  "bad-key": "Cursor does not accept the API key",
  "usage-limit": "The usage limit of the account is reached",
  "rate-limited": "Cursor limits how often it may be asked",
  "model-unavailable": "The account cannot use this model",
  "policy-disabled": "The account is not allowed to do this",
  "too-large": "The request is too large for the upstream",
  "protocol-drift": "The upstream does not take requests of this form",
  "upstream-unreachable": "The upstream is not available",
};

/** Upstream's own words for people, if it has any. */
function messageOf({ message, status }: UpstreamRefusal, detail: ErrorDetails | undefined, code: ErrorCode): string {
  const { title = "", detail: words = "" } = detail?.details ?? {};
  const said = [title, words].filter((text) => text.trim() !== "").join(": ");
  if (said !== "") return said;
  const sentence = sentences[code] ?? (message === "" ? "The upstream refused the request" : message);
  return status === HTTP_OK ? sentence : `${sentence} (HTTP ${status})`;
}

function upstreamWords({ code, message, status }: UpstreamRefusal): string {
  return `[${code ?? `http ${status}`}] ${message}`.trim();
}

function fixOf({ retryAfter }: UpstreamRefusal, detail: ErrorDetails | undefined, code: ErrorCode): { fix?: string } {
  const button = detail?.details?.buttons.find(({ action }) => action.case === "url");
  if (button?.action.case === "url") return { fix: `${button.label}: ${button.action.value.url}` };
  const seconds = Number(retryAfter);
  if (code !== "rate-limited" || !Number.isFinite(seconds) || seconds <= 0) return {};
  return { fix: `Wait ${Math.ceil(Math.min(seconds, MAX_WAIT_SECONDS))} seconds and try again.` };
}
