import type { CaretError } from "@caret/protocol";

/** Longer ones are answers. */
const MAX_LENGTH = 2_000;

/** What an account without a plan is shown. */
const PLAN = "Upgrade your plan to continue";

/** How this agent writes its failures into an answer: a line of its own, with a class or a code of its own. */
const failureLine =
  /^\n\nError: (?:(?:T|RetriableError|ConnectError): \[[a-z_]+\]|ActionRequiredError: |RATE_LIMITED_|Your team administrator has disabled |Connection failed repeatedly)[^\n]*\n?$/;

/**
 * What a text means that is all an agent has said: this one has no other way to say that a turn has failed. Only its own wording
 * counts. Answers quote errors all the time.
 */
export function errorInText(text: string, classify: (words: string) => CaretError): CaretError | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return text.trim() === PLAN || failureLine.test(text) ? classify(text.trim()) : undefined;
}
