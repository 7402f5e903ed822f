import { randomUUID } from "node:crypto";
import { type CaretError, Secret, type Sessions } from "@caret/protocol";
import { notifyWaiting } from "@caret/runtime";
import type { OpenedEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import { keepWebhookOutcome } from "./webhook-state.ts";

interface GatewayWebhookOptions {
  readonly config: Config;
  readonly sessions: Sessions;
  /** Where the gateway listens. */
  readonly url: string;
  readonly opened: Pick<OpenedEngine, "redactor">;
  readonly onError: (error: CaretError) => void;
}

/** The webhook of the settings, from now on. Gives what ends it; undefined: none is set. */
export function openGatewayWebhook(options: GatewayWebhookOptions): { close(): Promise<void> } | undefined {
  const { config, sessions, opened, onError } = options;
  const { url, secret } = config.notify.webhook;
  if (url === undefined) return undefined;
  // Another machine reaches the gateway by the origin that was set for it.
  const page = config.server.origins[0] ?? options.url;
  return notifyWaiting({
    sessions,
    url,
    secret: secret === undefined ? undefined : new Secret(secret),
    linkTo: (sessionId) => new URL(`#/s/${encodeURIComponent(sessionId)}`, new URL("/", page)).href,
    redactText: (text) => opened.redactor().redactText(text),
    newId: randomUUID,
    now: Date.now,
    onOutcome: (error) => {
      keepWebhookOutcome(config.dataDir, error, Date.now());
      if (error !== undefined) onError(error);
    },
  });
}
