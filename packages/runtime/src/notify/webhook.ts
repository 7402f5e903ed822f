import { createHmac } from "node:crypto";
import { CaretError, type Secret } from "@caret/protocol";
import type { OutboundFetch } from "../tools/web/outbound-fetch.ts";

/** Pauses between the attempts of one delivery. */
const PAUSES_MS = [1_000, 10_000];

export interface WebhookOptions {
  readonly url: string;
  /** Signs each delivery. If absent, deliveries are unsigned. */
  readonly secret?: Secret | undefined;
  readonly fetch: OutboundFetch;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Pauses between the attempts. Default: two. */
  readonly pausesMs?: readonly number[];
}

/** Posts JSON under the given delivery id, or a new one. Rejects with the last error if no attempt was accepted. */
export type Webhook = (body: object, signal: AbortSignal, delivery?: string) => Promise<void>;

/**
 * All attempts of a delivery have the same `x-caret-delivery`, so a receiver can recognise repetitions. `x-caret-signature` is the
 * HMAC-SHA256 of the timestamp, a dot and the body, so neither can be changed or replayed later.
 */
export function createWebhook(options: WebhookOptions): Webhook {
  const { url, secret, fetch, newId, now, pause, pausesMs = PAUSES_MS } = options;
  const attempt = async (body: string, delivery: string, signal: AbortSignal): Promise<void> => {
    const headers = { "content-type": "application/json", "x-caret-delivery": delivery, ...signed(body) };
    const answer = await fetch({ url, method: "POST", headers, body, signal }).catch((reason: unknown) => {
      signal.throwIfAborted();
      throw unreachable(CaretError.from(reason));
    });
    // A redirected POST arrives as a GET without its body, if at all.
    if (answer.url.href !== new URL(url).href)
      throw new CaretError("upstream-error", "The webhook's address redirects elsewhere", {
        fix: "Set notify.webhook.url to the address that it redirects to.",
        retryable: false,
      });
    if (answer.status >= 300)
      throw new CaretError("upstream-error", `The webhook was answered with status ${answer.status}`, {
        fix: "Check notify.webhook.url and notify.webhook.secret, and what receives it.",
        retryable: answer.status >= 500 || answer.status === 429,
      });
  };

  const signed = (body: string): Readonly<Record<string, string>> => {
    if (secret === undefined) return {};
    const timestamp = String(Math.floor(now() / 1000));
    const digest = createHmac("sha256", secret.reveal()).update(`${timestamp}.${body}`).digest("hex");
    return { "x-caret-timestamp": timestamp, "x-caret-signature": `sha256=${digest}` };
  };

  return async (body, signal, delivery = newId()) => {
    const text = JSON.stringify(body);
    for (const pauseMs of [...pausesMs, undefined])
      try {
        return await attempt(text, delivery, signal);
      } catch (reason) {
        signal.throwIfAborted();
        const error = CaretError.from(reason);
        if (pauseMs === undefined || !isWorthRepeating(error)) throw error;
        await pause(pauseMs, signal);
      }
  };
}

/** A forbidden address, or a receiver that refuses, would give the same result again. */
function isWorthRepeating({ code, retryable }: CaretError): boolean {
  return retryable || code === "upstream-unreachable" || code === "timed-out";
}

function unreachable({ code, message, retryable, cause }: CaretError): CaretError {
  return new CaretError(code, `The webhook's address cannot be reached: ${message}`, {
    cause,
    fix: "Check notify.webhook.url, and what receives it.",
    retryable,
  });
}
