import { randomUUID } from "node:crypto";
import { CaretError, Secret, type Sessions } from "@caret/protocol";
import { notifyWaiting, sendTestWebhook } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { OpenedEngine } from "../engine/compose.ts";
import { keepWebhookOutcome } from "./webhook-state.ts";

interface GatewayWebhookOptions {
  readonly config: Config;
  readonly sessions: Sessions;
  /** Where the gateway listens. */
  readonly url: string;
  readonly opened: Pick<OpenedEngine, "redactor">;
  readonly onError: (error: CaretError) => void;
}

/** Starts sending notices to the configured webhook. Returns what ends it; undefined if no webhook is set. */
export function openGatewayWebhook(options: GatewayWebhookOptions): { close(): Promise<void> } | undefined {
  const { config, sessions, opened, onError } = options;
  const address = webhookAddress(config);
  if (address === undefined) return undefined;
  return notifyWaiting({
    ...address,
    sessions,
    linkTo: (sessionId) => new URL(`#/s/${encodeURIComponent(sessionId)}`, pageOf(config, options.url)).href,
    redactText: (text) => opened.redactor().redactText(text),
    onOutcome: (error) => {
      if (error !== undefined) onError(error);
      try {
        keepWebhookOutcome(config.dataDir, error, Date.now());
      } catch (reason) {
        // On a full disk the doctor will not see the outcome; turns and further deliveries do not depend on it.
        onError(new CaretError("storage-failed", "What became of a webhook cannot be kept", { cause: reason }));
      }
    },
  });
}

/** Sends a test to the configured webhook and records the outcome for the doctor. Rejects with the failure. */
export async function testGatewayWebhook(config: Config, url: string): Promise<void> {
  const address = webhookAddress(config);
  if (address === undefined)
    throw new CaretError("invalid-request", "No webhook is set", {
      fix: "Set notify.webhook.url to the address that is to be posted to.",
    });
  const outcome = await sendTestWebhook(address, pageOf(config, url).href).then(
    () => undefined,
    (reason: unknown) => CaretError.from(reason),
  );
  keepWebhookOutcome(config.dataDir, outcome, Date.now());
  if (outcome !== undefined) throw outcome;
}

function webhookAddress({ notify }: Config) {
  const { url, secret } = notify.webhook;
  if (url === undefined) return undefined;
  return { url, secret: secret === undefined ? undefined : new Secret(secret), newId: randomUUID, now: Date.now };
}

/** Other machines reach the gateway by its configured origin. */
function pageOf({ server }: Config, url: string): URL {
  return new URL("/", server.origins[0] ?? url);
}
