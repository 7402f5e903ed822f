import type { CaretError } from "@caret/protocol";

/** A line of its own at the end of an answer, or a server's error with its code, or what an account without a plan is shown. */
const errorLine =
  /^(?:\n\n\w*Error: [^\n]+|\s*\w*Error: (?:\w+: )?\[[a-z_]+\][^\n]*|\s*Upgrade your plan to continue)\s*$/;

/**
 * What a text means that is the last of its turn. This agent has no other way to say that a turn has failed: it says so in its
 * answer, and the turn ends well.
 */
export function errorInText(text: string, classify: (words: string) => CaretError): CaretError | undefined {
  return errorLine.test(text) ? classify(text.trim()) : undefined;
}
