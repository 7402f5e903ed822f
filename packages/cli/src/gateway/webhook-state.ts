import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CaretError } from "@caret/protocol";
import { writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const failureSchema = z.object({ at: z.number(), message: z.string(), fix: z.string() });

/** Why the last webhook was not delivered. */
export type WebhookFailure = z.infer<typeof failureSchema>;

/** Exists while the last webhook failed: the doctor is another process, and may run later. */
function failurePath(dataDir: string): string {
  return join(dataDir, "webhook-failure.json");
}

export function keepWebhookOutcome(dataDir: string, error: CaretError | undefined, now: number): void {
  if (error === undefined) rmSync(failurePath(dataDir), { force: true });
  else writePrivateFile(failurePath(dataDir), JSON.stringify({ at: now, message: error.message, fix: error.fix }));
}

/** Undefined if the last one was delivered, or if none was sent. */
export function readWebhookFailure(dataDir: string): WebhookFailure | undefined {
  try {
    return failureSchema.parse(JSON.parse(readFileSync(failurePath(dataDir), "utf8")));
  } catch {
    return undefined; // no failure recorded, or an unreadable one: the next delivery updates it
  }
}
