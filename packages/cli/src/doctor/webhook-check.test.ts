import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterAll, expect, it } from "vitest";
import { type Config, createConfigSchema } from "../config/config-schema.ts";
import { keepWebhookOutcome } from "../gateway/webhook-state.ts";
import { checkWebhook } from "./webhook-check.ts";

const dataDir = mkdtempSync(join(tmpdir(), "caret-webhook-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

function configOf(webhook: Config["notify"]["webhook"]): Config {
  return createConfigSchema({ dataDir, maxArgBytes: 1 }).parse({ notify: { webhook } });
}

it("says nothing where no webhook is set", () => {
  expect(checkWebhook(configOf({}))).toEqual([]);
});

it("names the last delivery while it has failed, and not after one that was taken", () => {
  const config = configOf({ url: "https://hooks.test/a-secret-path", secret: "sixteen letters!" });
  const error = new CaretError("upstream-error", "The webhook was answered with status 500", { fix: "Look at it." });
  keepWebhookOutcome(dataDir, error, Date.UTC(2026, 10, 17));
  const failed = checkWebhook(config);
  keepWebhookOutcome(dataDir, undefined, 0);
  expect([failed, checkWebhook(config)]).toEqual([
    [
      {
        check: "webhook",
        state: "warn",
        detail:
          "the last one, at 2026-11-17T00:00:00.000Z, was not delivered: The webhook was answered with status 500",
        fix: "Look at it.",
      },
    ],
    [{ check: "webhook", state: "ok", detail: "set, and signed" }],
  ]);
});
