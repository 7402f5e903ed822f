import type { failureNames } from "./step-shapes.ts";

export type FailureName = (typeof failureNames)[number];

const usageReset = "Your usage limits will reset when your monthly cycle ends on 10/26/2026.";
const reconnecting = "Connection lost, reconnecting to https://agentn.global.api5.cursor.sh";

/** What the CLI writes on stderr before it exits with 1. */
export const failures: Readonly<Record<FailureName, string>> = {
  "usage-limit": `ActionRequiredError: You've hit your usage limit for Opus. You've saved $255 on API model usage this month with Pro. Switch to a different model or set a Spend Limit to continue with this model. ${usageReset}`,
  "usage-limit-free": "ActionRequiredError: You've hit your usage limit. Get Cursor Pro for more Agent usage",
  "free-plan": "RATE_LIMITED_CHANGEABLE: Named models unavailable: Free plans can only use Auto",
  "rate-limited": "ActionRequiredError: RATE_LIMITED_TOO_MANY_REQUESTS",
  "policy-force": "Error: Your team administrator has disabled the 'Run Everything' option.",
  "policy-headless": "Error: Your team administrator has disabled headless Cursor CLI usage.",
  outdated: "ActionRequiredError: OUTDATED_CLIENT",
  network: [
    `${reconnecting} (attempt 1)...`,
    "Retry attempt 1...",
    `${reconnecting} (attempt 2)...`,
    "Retry attempt 2...",
    "Connection failed repeatedly",
  ].join("\n"),
  unavailable: "Error: T: [unavailable] HTTP 503",
  "invalid-argument": afterRetries("[invalid_argument] unknown option '--system-prompt'"),
  "permission-denied": afterRetries("[permission_denied] This account may not do that"),
  "failed-precondition": afterRetries("[failed_precondition] Finish the other turn first"),
  unimplemented: afterRetries("[unimplemented] No such method"),
  "session-in-use": 'Error: Session ID "0d6f0000-0000-4000-8000-000000000001" is already in use.',
  "no-previous-chats": "No previous chats found.",
  "no-sandbox": "Error: Sandbox mode is enabled but not available on this system.",
};

/** Whatever the code in brackets says, the CLI tries three times and calls the error retriable. */
function afterRetries(words: string): string {
  const tries = [1, 2, 3].flatMap((attempt) => [
    `${reconnecting} (attempt ${attempt})...`,
    `Retry attempt ${attempt}...`,
  ]);
  return [...tries, `RetriableError: ${words}`].join("\n");
}
