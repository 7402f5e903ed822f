import type { ErrorInfo } from "@caret/protocol";
import type { ErrorReply, Failure } from "../../http/error-handler.ts";
import { retryAfterSeconds } from "../../http/retry-advice.ts";
import { errorMessage } from "../error-message.ts";
import { toOpenaiReply } from "../openai/errors.ts";
import type { DoorOptions } from "../serve-answer.ts";
import { type ResponseIdentity, type ResponseObject, toResponseObject } from "./answer.ts";
import { type EventFraming, sseFraming } from "./making/event-framing.ts";

export interface ResponseError {
  readonly code: "invalid_prompt" | "rate_limit_exceeded" | "server_error";
  readonly message: string;
}

/**
 * A failure's name inside a stream; whole answers use the chat door's table of statuses.
 *
 * Codex retries on all but a few codes, and of those only `invalid_prompt` lets our message through; OpenCode treats it as final too. So
 * every final failure gets that name, as does any failure once the answer has begun.
 */
export function toResponseError(info: ErrorInfo, isBegun: boolean): ResponseError {
  const message = errorMessage(info);
  if (isBegun || retryAfterSeconds(info) === undefined) return { code: "invalid_prompt", message };
  const isLimit = info.code === "rate-limited" || info.code === "overloaded";
  return { code: isLimit ? "rate_limit_exceeded" : "server_error", message };
}

/** Codex identifies itself in two headers: `codex_exec`, `codex_cli_rs`, `codex_vscode`, `Codex Desktop`. */
export function isCodex(headers: Readonly<Record<string, unknown>>): boolean {
  return [headers["originator"], headers["user-agent"]].some(
    (name) => typeof name === "string" && /^codex\b|^codex_/i.test(name),
  );
}

/**
 * A failure before the first word, for Codex. It retries every status but 400 and 429, six times in all, whatever the headers say, and
 * shows the body of a 400 as raw JSON. So:
 *
 * - a used-up plan is its own `usage_limit_reached`, which it shows as that;
 * - a transient failure is 503, which it retries after a while; on a plain 429 it would give up;
 * - a request that is not let in is 400: it must never look like an answer;
 * - anything else is a stream that fails at once: final, and shown in our words.
 */
export function toCodexReply(info: ErrorInfo, identity: ResponseIdentity): ErrorReply {
  const reply = toOpenaiReply(info);
  if (info.code === "usage-limit")
    return { ...reply, status: 429, body: { error: { ...reply.body.error, type: "usage_limit_reached" } } };
  if (retryAfterSeconds(info) !== undefined) return { ...reply, status: 503 };
  if (info.code === "unauthenticated" || info.code === "forbidden") return { ...reply, status: 400 };
  return {
    status: 200,
    headers: { ...reply.headers, "content-type": "text/event-stream; charset=utf-8" },
    body: failedResponse(info, identity, sseFraming),
  };
}

/** A whole response that failed before it said anything. */
export function failedResponse(info: ErrorInfo, identity: ResponseIdentity, framing: EventFraming): string {
  const nothing = { output: [], usage: null, completedAt: null };
  const begun = toResponseObject(identity, { status: "in_progress", error: null, ...nothing });
  const failed = toResponseObject(identity, { status: "failed", error: toResponseError(info, false), ...nothing });
  const event = (type: string, sequence_number: number, response: ResponseObject) =>
    framing.event(type, JSON.stringify({ type, sequence_number, response }));
  return event("response.created", 0, begun) + event("response.failed", 1, failed) + framing.end;
}

/** Identity of a response that could not begin, for a request with that body. */
export function identityOf(body: unknown, { newId, now }: Pick<DoorOptions, "newId" | "now">): ResponseIdentity {
  const { model } = (body ?? {}) as { readonly model?: unknown };
  return {
    id: `resp_${newId()}`,
    createdAt: Math.floor(now() / 1000),
    model: typeof model === "string" ? model : "",
    body: {},
  };
}

/** As at the chat door, except for Codex, which reads errors differently. */
export function responsesReplies(context: Pick<DoorOptions, "newId" | "now">) {
  return ({ info, status, request }: Failure): ErrorReply => {
    if (!isCodex(request.headers)) return toOpenaiReply(info, status);
    return toCodexReply(info, identityOf(request.body, context));
  };
}
