import { CaretError } from "@caret/protocol";

/** Why a wait ended, as a sentence. A turn that is ended gives the reason in the error it aborts with. */
export function whyStopped(reason: unknown): string {
  if (!CaretError.is(reason)) return "The agent no longer waited for it";
  return reason.code === "interrupted" ? "Caret stopped" : reason.message;
}

/** The result of a call that never started. */
export function notRun(why: string): string {
  return `Not run: ${why.replace(/^(?:You|The|Nobody|It)\b/, (word) => word.toLowerCase())}.`;
}
