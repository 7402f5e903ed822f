import type { CaretError } from "@caret/protocol";

/** Longer texts are answers. */
const MAX_LENGTH = 2_000;

/** Shown to an account without a plan. */
const PLAN = "Upgrade your plan to continue";

/** How this agent writes failures into an answer: on a separate line, with a class or code. */
const failureLine =
  /^\n\nError: (?:(?:T|RetriableError|ConnectError): \[[a-z_]+\]|ActionRequiredError: |RATE_LIMITED_|Your team administrator has disabled |Connection failed repeatedly)[^\n]*\n?$/;

/**
 * Recognises an error in a text that is all the agent said: it has no other way to report a failed turn. Only its exact wording counts,
 * because answers quote errors all the time.
 */
export function errorInText(text: string, classify: (words: string) => CaretError): CaretError | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return text.trim() === PLAN || failureLine.test(text) ? classify(text.trim()) : undefined;
}
