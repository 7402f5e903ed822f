import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Caller, CaretError, type Secret, type Sessions } from "@caret/protocol";
import { createBackgroundWork } from "../async/background-work.ts";
import { createWaitingNotices, type WaitingNotice } from "./waiting-notices.ts";
import { createWebhook, type Webhook } from "./webhook.ts";

/** Sees every session, because it belongs to the gateway. */
const GATEWAY: Caller = { tokenName: "webhook", seesAll: true };

/** Maximum concurrent deliveries. Sessions begin to wait for people far more slowly than this. */
const MAX_UNDER_WAY = 16;
/** Pause after a failure to follow the sessions. */
const FOLLOW_AGAIN_MS = 1_000;
const LIMITS = { totalMs: 10_000, maxBytes: 64 * 1024 };

export interface NotifyWaitingOptions {
  readonly sessions: Pick<Sessions, "followUpdates">;
  readonly url: string;
  readonly secret: Secret | undefined;
  /** URL at which a person opens a session. */
  readonly linkTo: (sessionId: string) => string;
  readonly redactText: (text: string) => string;
  readonly newId: () => string;
  readonly now: () => number;
  /** Called with each delivery's result; undefined means it was accepted. */
  readonly onOutcome: (error: CaretError | undefined) => void;
}

/** Sends a webhook whenever a session starts to wait for a person. Returns what ends it. */
export function notifyWaiting(options: NotifyWaitingOptions): { close(): Promise<void> } {
  const { sessions, onOutcome } = options;
  const work = createBackgroundWork(onOutcome);
  const noticesOf = createWaitingNotices();
  let webhook: Promise<Webhook> | undefined;
  let underWay = 0;
  const deliver = async (notice: WaitingNotice, signal: AbortSignal): Promise<void> => {
    webhook ??= openWebhook(options);
    await (await webhook)(bodyOf(notice, options), signal, deliveryOf(notice));
    onOutcome(undefined);
  };
  const begin = (notice: WaitingNotice): void => {
    if (underWay === MAX_UNDER_WAY) {
      onOutcome(new CaretError("overloaded", "Too many webhooks are under way: one was left out"));
      return;
    }
    underWay += 1;
    work.run((signal) =>
      deliver(notice, signal).finally(() => {
        underWay -= 1;
      }),
    );
  };
  // The log may be locked, or its server restarted: later waits must still be noticed.
  work.every(FOLLOW_AGAIN_MS, async (signal) => {
    for await (const updates of sessions.followUpdates(signal, GATEWAY))
      for (const notice of updates.flatMap(noticesOf)) begin(notice);
  });
  return { close: work.close };
}

/** Loaded with the first delivery. The address is the user's own choice; its redirects are not trusted. */
async function openWebhook({ url, secret, newId, now, pausesMs }: WebhookAddress): Promise<Webhook> {
  const { createOutboundFetch } = await import("../tools/web/outbound-fetch.ts");
  const fetch = createOutboundFetch({ trustedOrigins: [new URL(url).origin], limits: LIMITS });
  return createWebhook({
    url,
    secret,
    fetch,
    newId,
    now,
    pause: (ms, signal) => pause(ms, undefined, { signal }),
    ...(pausesMs === undefined ? {} : { pausesMs }),
  });
}

type WebhookAddress = Pick<NotifyWaitingOptions, "url" | "secret" | "newId" | "now"> & {
  readonly pausesMs?: readonly number[];
};

/** Sends one delivery marked as a test, without retries. Rejects with the failure. */
export async function sendTestWebhook(address: Omit<WebhookAddress, "pausesMs">, link: string): Promise<void> {
  const webhook = await openWebhook({ ...address, pausesMs: [] });
  const since = new Date(address.now()).toISOString();
  await webhook({ event: "test", title: "Test of Caret's webhook", since, link }, AbortSignal.timeout(LIMITS.totalMs));
}

/** Identical at every gateway of a fleet and after a restart, so the receiver accepts it once. */
function deliveryOf({ sessionId, kind, since }: WaitingNotice): string {
  return createHash("sha256").update(`${sessionId} ${kind} ${since}`).digest("base64url");
}

/** Says that something waits, but not what: the receiver may be a third party. */
function bodyOf({ sessionId, title, kind, since }: WaitingNotice, { linkTo, redactText }: NotifyWaitingOptions) {
  return {
    event: "waiting",
    sessionId,
    title: redactText(title),
    kind,
    since: new Date(since).toISOString(),
    link: linkTo(sessionId),
  };
}
