import type { Config } from "../config/config-schema.ts";
import { readWebhookFailure } from "../gateway/webhook-state.ts";
import type { Finding } from "./finding.ts";

/** Empty if no webhook is set. Sends nothing: the receiver would tell a person that something waits. */
export function checkWebhook({ notify, dataDir }: Config): readonly Finding[] {
  if (notify.webhook.url === undefined) return [];
  const failure = readWebhookFailure(dataDir);
  const check = "webhook";
  if (failure !== undefined) {
    const detail = `the last one, at ${new Date(failure.at).toISOString()}, was not delivered: ${failure.message}`;
    return [{ check, state: "warn", detail, fix: failure.fix }];
  }
  if (notify.webhook.secret !== undefined) return [{ check, state: "ok", detail: "set, and signed" }];
  return [{ check, state: "ok", detail: "set; without notify.webhook.secret nobody can tell that it is Caret's" }];
}
